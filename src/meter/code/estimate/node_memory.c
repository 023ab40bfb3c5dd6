/* node_memory.c - accesses, and the order that they keep where they may meet: a load may pass loads; it does not pass a store, an
 * atomic or a copy unless the space differs, or both have the same base and do not overlap; nothing passes a barrier or a
 * fence. Reads through the constant path (.nc, ld.const) pass all but those. */
#include "meter/code/estimate/build.h"

/* ---- memory ---- */

static void order_after(struct build *b, const struct tracked *t)
{
    for (u32 k = 0; k < b->ntracked; k++) {
        const struct tracked *o = &b->tracked[k];
        const bool meet = o->space == t->space || o->space == SPACE_NONE || t->space == SPACE_NONE;
        const bool apart =
            o->base == t->base && (o->offset + o->bytes <= t->offset || t->offset + t->bytes <= o->offset);
        if (meet && !apart && !(o->reads_only && t->reads_only))
            build_after(b, o->node, t->node);
    }
}

static void order_all(struct build *b, u32 node)
{
    build_after(b, b->fence, node);
    for (u32 k = 0; k < b->ntracked; k++)
        build_after(b, b->tracked[k].node, node);
    b->ntracked = 0;
    b->fence = node;
}

static void order_access(struct build *b, const struct tracked *t)
{
    if (b->ntracked == TRACKED) {
        order_all(b, t->node);
    } else {
        build_after(b, b->fence, t->node);
        order_after(b, t);
    }
    b->tracked[b->ntracked++] = *t;
}

/* Where it is in memory, as far as is known: a register's value and an offset, or a variable. */
static void locate(struct build *b, const struct ptx_inst *i, struct tracked *t)
{
    t->base = b->bases++;
    t->bytes = i->ntypes ? ptx_type_bits((enum ptx_type)i->types[i->ntypes - 1]) / 8 * ptx_vec_count(i) : 1;
    for (u32 k = 0; k < i->noperands; k++)
        if (i->operands[k].kind == PTX_ADDR && i->operands[k].elems[0].kind == PTX_REG) {
            const struct value *v = build_value(b, i->operands[k].elems[0].var->index);
            t->base = v->base;
            t->offset = v->offset + i->operands[k].offset;
            return;
        }
}

static bool is_ordered(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_VOLATILE) || ptx_has(i, MOD_RELAXED) || ptx_has(i, MOD_ACQUIRE) || ptx_has(i, MOD_RELEASE) ||
           ptx_has(i, MOD_ACQ_REL);
}

static u32 words_of(const struct ptx_inst *i, u32 width)
{
    const u32 bytes = width ? width : ptx_type_bits(build_type(i)) / 8 * ptx_vec_count(i);
    return bytes > 4 ? bytes / 4 : 1;
}

/* What a compiler assumes of a load: ptxas 13.0's code for sm_90 looks as if outside of loops all loads came first; in loops they do if each is
 * used alone, or while there are registers for more of one word each. Else, where two are used together, a use comes some 20 cycles behind. */
enum { FAR = 200, FAR_TOGETHER = 20, NEAR_TOGETHER = 16 };

static bool is_near(const struct ptx_inst *i) { return i->space == SPACE_SHARED || i->space == SPACE_CONST; }

static u32 latency_alone(const struct build *b, const struct ptx_inst *i)
{
    return is_near(i) ? b->latency.shared : FAR;
}

static u32 memory_latency(const struct build *b, const struct ptx_inst *i)
{
    const bool loop = b->f->blocks[b->block].loop_depth > 0;
    return !loop ? latency_alone(b, i) : is_near(i) ? NEAR_TOGETHER : FAR_TOGETHER;
}

static enum replay_pipe memory_pipe(const struct ptx_inst *i)
{
    return ptx_op_rows[i->op].class == PTX_CLASS_TEXTURE ? PIPE_TEX : i->space == SPACE_CONST ? PIPE_ADU : PIPE_LSU;
}

/* One access of i; needs: what it reads. */
static u32 add_access(struct build *b, const struct ptx_inst *i, u32 site, const struct value *needs, bool result)
{
    const u8 memory = ptx_op_rows[i->op].memory;
    const bool load = memory == PTX_MEM_LOAD || memory == PTX_MEM_MATRIX_LOAD;
    const u32 node = build_node(b, memory_pipe(i), memory_latency(b, i), result, site);
    struct node *n = &b->g->nodes.at[node];
    n->inst.op = REPLAY_MEMORY;
    n->inst.latency = 0;
    n->far = !is_near(i);
    n->alone = (u16)latency_alone(b, i);
    n->width = load && result ? (u8)words_of(i, b->e->sites[site].width) : 0;
    n->roomy = n->width == 1 && !is_near(i) ? n->alone : n->latency;
    n->words = i->space == SPACE_CONST && n->width > 2 ? 2 : n->width; /* LDC has two at most */
    n->inst.count = i->space == SPACE_CONST ? n->words : 0;
    if (!result)
        n->latency = 1;
    build_use(b, needs, node);
    struct tracked t = {.node = node, .space = i->space, .reads_only = load && !is_ordered(i)};
    if (i->space == SPACE_CONST || ptx_has(i, MOD_NC)) {
        build_after(b, b->fence, node);
        return node;
    }
    locate(b, i, &t);
    if (b->e->sites[site].width)
        t.bytes = b->e->sites[site].width;
    order_access(b, &t);
    return node;
}

/* ---- accesses that are merged ---- */

static const struct ptx_operand *address_of(const struct ptx_inst *i)
{
    const u32 k = i->op == OP_LD ? 1 : 0;
    return k < i->noperands && i->operands[k].kind == PTX_ADDR ? &i->operands[k] : NULL;
}

static bool is_part(const struct build *b, u32 leader, u32 site)
{
    const struct ptx_inst *l = &b->f->src->insts[leader], *i = &b->f->src->insts[site];
    const struct ptx_operand *la = address_of(l), *a = i->op == l->op ? address_of(i) : NULL;
    return a && b->e->sites[site].follows && !b->merged[site].leader && i->space == l->space &&
           a->elems[0].kind == la->elems[0].kind && a->elems[0].var == la->elems[0].var && a->offset > la->offset &&
           a->offset < la->offset + b->e->sites[leader].width;
}

static void take_part(struct build *b, u32 leader, u32 site)
{
    if (!is_part(b, leader, site))
        return;
    b->merged[site].leader = leader + 1;
    b->merged[leader].parts++;
}

/* The parts are near their leader, on either side of it. */
void build_find_parts(struct build *b, u32 leader)
{
    enum { NEAR = 256 };
    const struct ir_block *block = &b->f->blocks[b->f->block_of_site[leader]];
    const struct ptx_inst *l = &b->f->src->insts[leader];
    const struct ptx_operand *a = address_of(l);
    if (!a || (a->elems[0].kind != PTX_REG && a->elems[0].kind != PTX_VAR))
        return;
    const u32 want = b->e->sites[leader].width / (ptx_type_bits(build_type(l)) / 8 * ptx_vec_count(l));
    b->merged[leader].leader = leader + 1;
    b->merged[leader].parts = 1;
    for (u32 d = 1; d < NEAR && b->merged[leader].parts < want; d++) {
        if (leader + d < block->end)
            take_part(b, leader, leader + d);
        if (leader >= block->first + d)
            take_part(b, leader, leader - d);
    }
}

/* A wide load is there with its first part, a wide store with its last. */
u32 build_part(struct build *b, u32 site, const struct value *needs)
{
    const u32 leader = b->merged[site].leader - 1;
    struct merged *m = &b->merged[leader];
    const struct ptx_inst *l = &b->f->src->insts[leader];
    if (!m->seen++)
        m->needs = (struct value){0};
    value_merge(b, &m->needs, needs);
    if (l->op == OP_LD ? m->seen == 1 : m->seen == m->parts)
        m->node = add_access(b, l, leader, &m->needs, l->op == OP_LD);
    if (m->seen == m->parts)
        m->seen = 0;
    return m->node;
}

/* ---- instructions ---- */

static void note_stores(struct build *b, const struct touched *t, u32 node)
{
    b->g->nodes.at[node].store = true;
    for (u32 k = 0; k < t->reads.len; k++) {
        b->store[t->reads.at[k]] = node;
        b->store_stamp[t->reads.at[k]] = b->now;
    }
}

/* Matrices: the addresses of a lane, then its accesses. */
static struct value add_matrix_access(struct build *b, u32 site, u32 weight, const struct value *needs, bool load)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const u32 accesses = b->e->sites[site].accesses;
    const struct value address = weight > accesses ? build_sequence(b, site, weight - accesses, needs, false) : *needs;
    struct value result = {.base = b->bases++}, all = *needs;
    value_merge(b, &all, &address);
    for (u32 k = 0; k < accesses; k++)
        value_add(b, &result, add_access(b, i, site, &all, load));
    return result;
}

static struct value add_plain_access(struct build *b, u32 site, const struct value *needs, const struct touched *t)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const bool unused = b->e->sites[site].unused;
    const u32 node = add_access(b, i, site, needs, t->writes.len > 0 && !unused);
    if (ptx_op_rows[i->op].memory == PTX_MEM_STORE || unused)
        note_stores(b, t, node);
    return build_result(b, node);
}

struct value build_memory(struct build *b, u32 site, u32 weight, const struct value *needs, const struct touched *t)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const u8 memory = ptx_op_rows[i->op].memory;
    if (memory == PTX_MEM_MATRIX_LOAD || memory == PTX_MEM_MATRIX_STORE)
        return add_matrix_access(b, site, weight, needs, t->writes.len > 0);
    return build_around(b, site, needs, t, add_plain_access);
}

/* Barriers, fences and what waits for copies: memory does not pass them. */
struct value build_order(struct build *b, u32 site, enum replay_op op, enum replay_pipe pipe, const struct value *needs)
{
    const u32 node = build_node(b, pipe, 1, false, site);
    b->g->nodes.at[node].inst.op = (u8)op;
    build_use(b, needs, node);
    order_all(b, node);
    return build_result(b, node);
}

struct value build_barrier(struct build *b, u32 site, const struct value *needs, bool result)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const bool of_block = i->op == OP_BAR || i->op == OP_BARRIER;
    u32 loads[TRACKED], nloads = 0;
    for (u32 k = 0; k < b->ntracked && of_block;
         k++) /* what is read of shared memory is there before others may change it */
        if (b->tracked[k].space == SPACE_SHARED && b->g->nodes.at[b->tracked[k].node].words)
            loads[nloads++] = b->tracked[k].node;
    struct value v = build_order(b, site, of_block ? REPLAY_BARRIER : REPLAY_PLAIN, PIPE_ADU, needs);
    for (u32 k = 0; k < nloads; k++)
        graph_wait(b->mem, b->g, loads[k], v.source[0]);
    struct node *n = &b->g->nodes.at[v.source[0]];
    n->variable = result;
    n->least = BARRIER_STALL;
    n->latency = result ? (u16)b->latency.shared : 1;
    if (of_block)
        n->inst.latency = i->operands[0].kind == PTX_REG ? REPLAY_NUMBER_READ : 0;
    return v;
}
