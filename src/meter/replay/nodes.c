/* nodes.c - PTX instructions to nodes: how many machine instructions each becomes, on which unit, and what they need.
 *
 * How many is what estimate.c says (the weight of a site). What has none is renamed: its result is its operands'. The
 * units of a sequence are a word, a letter an instruction (`pipes` below).
 *
 * Accesses keep their order where they may meet: a load may pass loads; it does not pass a store, an atomic or a copy
 * unless the space differs, or both have the same base and do not overlap; nothing passes a barrier or a fence. Reads
 * through the constant path (.nc, ld.const) pass all but those. A call and a read of a clock pass nothing. */
#include "meter/replay/nodes.h"
#include "ir/pass.h"

enum { SOURCES = 8, LIVE = 1u << 31, TRACKED = 64, NO_NODE = UINT32_MAX };

/* What a register holds: a result of one of these nodes, or what a register had before the group. */
struct value {
    u32 source[SOURCES]; /* nodes, or LIVE | register */
    u32 n;
    bool constant; /* of a constant bank */
    u32 base;      /* it is base + offset; values with the same base differ by their offsets */
    i64 offset;
};

struct tracked {
    u32 node, base, bytes;
    i64 offset;
    u8 space;
    bool reads_only;
};

/* Shared accesses that are one access. */
struct merged {
    u32 leader; /* 1 + site; 0: alone */
    u32 parts;  /* of a leader: how many accesses it is */
    u32 seen, node;
    struct value needs;
};

/* A register that a predicated body writes. */
struct change {
    u32 block, reg;
    struct value before, behind;
};

struct build {
    struct arena *mem;
    const struct gpu *gpu;
    const struct ir_func *f;
    const struct estimate *e;
    struct latencies latency;
    struct merged *merged; /* by site */
    /* of the graph that is being built */
    struct graph *g;
    struct value *values;     /* by register */
    u32 *stamp, now;          /* by register: values[] is of the graph `now` */
    u32 *written;             /* by register: the graph that writes it */
    u32 *store, *store_stamp; /* by register: a store that reads it */
    u32 bases;
    struct tracked tracked[TRACKED];
    u32 ntracked, fence, cut;
    struct value guard; /* of the body that is predicated */
    bool guarded;
    u32 block;
    VEC(struct change) changes; /* of the bodies behind the last branch */
    u32 copy, copies;
    u32 first; /* the first node of the instruction that is added */
};

/* ---- graphs ---- */

void graph_edge(struct arena *mem, struct graph *g, u32 from, u32 to, bool value)
{
    struct node *n = &g->nodes.at[from];
    if (n->first_out && g->edges.at[n->first_out - 1].to == to) {
        g->edges.at[n->first_out - 1].value |= value;
        return;
    }
    const struct edge e = {.to = to, .next = n->first_out, .value = value};
    vec_push(mem, &g->edges, e);
    n->first_out = g->edges.len;
    g->nodes.at[to].needs++;
}

static void after(struct build *b, u32 from, u32 to)
{
    if (from != NO_NODE && from != to)
        graph_edge(b->mem, b->g, from, to, false);
}

static void need(struct build *b, u32 source, u32 node)
{
    if (source & LIVE)
        vec_push(b->mem, &b->g->reads, ((struct node_reg){node, source & ~LIVE}));
    else if (source != node)
        graph_edge(b->mem, b->g, source, node, true);
}

static void use(struct build *b, const struct value *v, u32 node)
{
    for (u32 k = 0; k < v->n; k++)
        need(b, v->source[k], node);
}

/* ---- values ---- */

/* One more than a value can hold: one of its nodes waits for it, or for that node it. */
static void join(struct build *b, struct value *v, u32 source)
{
    for (u32 k = 0; k < v->n; k++)
        if (!(v->source[k] & LIVE) || !(source & LIVE)) {
            const u32 a = v->source[k];
            const bool into_a = (source & LIVE) || (!(a & LIVE) && a > source);
            need(b, into_a ? source : a, into_a ? a : source);
            v->source[k] = into_a ? a : source;
            return;
        }
}

static void add_source(struct build *b, struct value *v, u32 source)
{
    for (u32 k = 0; k < v->n; k++)
        if (v->source[k] == source)
            return;
    if (v->n < SOURCES)
        v->source[v->n++] = source;
    else
        join(b, v, source);
}

static void add_value(struct build *b, struct value *v, const struct value *other)
{
    for (u32 k = 0; k < other->n; k++)
        add_source(b, v, other->source[k]);
    v->constant |= other->constant;
}

static const struct value *value_of(struct build *b, u32 reg)
{
    struct value *v = &b->values[reg];
    if (b->stamp[reg] != b->now) {
        b->stamp[reg] = b->now;
        *v = (struct value){.source = {LIVE | reg}, .n = 1, .base = reg};
    }
    return v;
}

/* ---- what an instruction reads and writes ---- */

static enum ptx_type first_type(const struct ptx_inst *i) { return i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE; }

struct touched {
    VEC(u32) reads, writes;
    bool predicate; /* it writes one */
};

struct touching {
    struct build *b;
    struct touched *t;
};

static void touch(void *ctx, const struct ptx_var *reg, bool is_write)
{
    const struct touching *c = ctx;
    if (is_write)
        vec_push(c->b->mem, &c->t->writes, reg->index);
    else
        vec_push(c->b->mem, &c->t->reads, reg->index);
    c->t->predicate |= is_write && reg->type == PTX_PRED;
}

/* The value of all that it reads. */
static struct value operands_of(struct build *b, const struct touched *t)
{
    struct value all = {0};
    for (u32 k = 0; k < t->reads.len; k++)
        add_value(b, &all, value_of(b, t->reads.at[k]));
    return all;
}

static void note_stores(struct build *b, const struct touched *t, u32 node)
{
    for (u32 k = 0; k < t->reads.len; k++) {
        b->store[t->reads.at[k]] = node;
        b->store_stamp[t->reads.at[k]] = b->now;
    }
}

/* `add r, s, 4`: the same base, that much further. */
static bool is_step(const struct ptx_inst *i)
{
    return (i->op == OP_ADD || i->op == OP_SUB) && i->noperands == 3 && i->operands[1].kind == PTX_REG &&
           i->operands[2].kind == PTX_IMM && !ptx_type_float(first_type(i)) && !i->guard;
}

/* `add r, r, 4` */
static bool is_counter(const struct ptx_inst *i)
{
    return is_step(i) && i->operands[0].kind == PTX_REG && i->operands[0].var == i->operands[1].var;
}

/* The node that is added first now writes a register that a store read. */
static void overwrite(struct build *b, u32 reg)
{
    struct node *store = &b->g->nodes.at[b->store[reg]];
    if (!store->overwritten)
        store->overwritten = 1 + b->first;
    b->store_stamp[reg] = 0;
}

/* The registers that i writes have that value now; under a guard, or the one from before. A counter keeps its machine
 * register, so a store that reads it has to have done so. */
static void define(struct build *b, const struct ptx_inst *i, const struct touched *t, const struct value *result)
{
    for (u32 k = 0; k < t->writes.len; k++) {
        const u32 reg = t->writes.at[k];
        struct value now = *result;
        if (i->guard || b->guarded)
            add_value(b, &now, value_of(b, reg));
        if (b->store_stamp[reg] == b->now && is_counter(i) && b->first < b->g->nodes.len)
            overwrite(b, reg);
        if (b->written[reg] != b->now)
            vec_push(b->mem, &b->g->written, reg);
        b->written[reg] = b->now;
        if (b->guarded)
            vec_push(b->mem, &b->changes, ((struct change){b->block, reg, *value_of(b, reg), now}));
        b->stamp[reg] = b->now;
        b->values[reg] = now;
    }
}

/* ---- nodes ---- */

/* ptxas keeps instructions of a pipe as far apart as the pipe needs: accesses 4 cycles, the others as their lanes say. */
static u32 pipe_interval(const struct build *b, enum replay_pipe pipe)
{
    enum { ACCESSES = 4 };
    switch (pipe) {
    case PIPE_ALU:
    case PIPE_FMAHEAVY:
    case PIPE_UNIFORM:
        return b->latency.interval[IR_UNIT_INT];
    case PIPE_FMA:
        return b->latency.interval[IR_UNIT_FP32];
    case PIPE_FP16:
        return b->latency.interval[IR_UNIT_FP16];
    case PIPE_FP64:
        return b->latency.interval[IR_UNIT_FP64];
    case PIPE_LSU:
    case PIPE_TEX:
        return ACCESSES;
    default:
        return 1;
    }
}

static u32 add_node(struct build *b, enum replay_pipe pipe, u32 latency, bool variable, u32 site)
{
    const struct node n = {.inst = {.op = REPLAY_PLAIN,
                                    .pipe = (u8)pipe,
                                    .stall = 1,
                                    .latency = (u8)(latency < 255 ? latency : 255),
                                    .write_bar = REPLAY_NO_BAR,
                                    .read_bar = REPLAY_NO_BAR,
                                    .copy = (u8)b->copy,
                                    .site = site},
                           .latency = (u16)latency,
                           .variable = variable,
                           .every = (u8)pipe_interval(b, pipe)};
    vec_push(b->mem, &b->g->nodes, n);
    const u32 at = b->g->nodes.len - 1;
    after(b, b->cut, at);
    if (b->guarded)
        use(b, &b->guard, at);
    return at;
}

/* Nothing passes it, in either direction. */
static void make_cut(struct build *b, u32 node)
{
    for (u32 k = b->cut == NO_NODE ? 0 : b->cut + 1; k < node; k++)
        graph_edge(b->mem, b->g, k, node, false);
    b->cut = node;
}

/* Predicates take a way of their own: 12 cycles in code of ptxas for compute capability 7, 13 from 8.0 on. */
static u32 predicate_latency(const struct build *b) { return b->gpu->cc_major >= 8 ? 13 : 12; }

/* Cards for graphics have two lanes of it an SM, and wait for it by a scoreboard. */
static bool slow_fp64(const struct build *b) { return b->latency.interval[IR_UNIT_FP64] > 8; }

/* A node by its letter. */
static u32 add_unit(struct build *b, char letter, u32 site)
{
    const struct latencies *l = &b->latency;
    switch (letter) {
    case 'a': /* integers, logic, comparisons */
        return add_node(b, PIPE_ALU, l->unit[IR_UNIT_INT], false, site);
    case 'h': /* integer products */
        return add_node(b, PIPE_FMAHEAVY, l->unit[IR_UNIT_INT], false, site);
    case 'f':
        return add_node(b, PIPE_FMA, l->unit[IR_UNIT_FP32], false, site);
    case 'H':
        return add_node(b, PIPE_FP16, l->unit[IR_UNIT_FP16], false, site);
    case 'd':
        return add_node(b, PIPE_FP64, l->unit[IR_UNIT_FP64], slow_fp64(b), site);
    case 'x': /* special functions */
        return add_node(b, PIPE_XU, l->unit[IR_UNIT_SFU], true, site);
    case 'c': /* conversions, counts of bits */
        return add_node(b, PIPE_XU, l->unit[IR_UNIT_CONVERT], true, site);
    case 's': /* special registers, constants by an instruction of their own */
        return add_node(b, PIPE_ADU, l->unit[IR_UNIT_SFU], true, site);
    case 'l':
        return add_node(b, PIPE_LSU, l->unit[IR_UNIT_SHUFFLE], true, site);
    case 't':
        return add_node(b, PIPE_TENSOR, l->unit[IR_UNIT_TENSOR], true, site);
    case 'u':
        return add_node(b, PIPE_UNIFORM, l->unit[IR_UNIT_INT], false, site);
    case 'b':
        return add_node(b, PIPE_BRANCH, 1, false, site);
    default:
        return add_node(b, PIPE_NONE, 1, false, site);
    }
}

/* ---- what a PTX instruction becomes ---- */

static bool is_half(enum ptx_type t) { return t == PTX_F16 || t == PTX_BF16 || t == PTX_F16X2 || t == PTX_BF16X2; }

/* The usual sequences of a division, a reciprocal, a root. */
static const char *division(enum ptx_type t)
{
    return t == PTX_F32             ? "xfffffffa"
           : t == PTX_F64           ? "xdddddddda"
           : ptx_type_bits(t) == 64 ? "caxchhaaaaha"
                                    : "cxacahhahahaa";
}

static const char *conversion(const struct build *b, const struct ptx_inst *i)
{
    const enum ptx_type to = first_type(i), from = (enum ptx_type)i->types[i->ntypes - 1];
    if ((to == PTX_F32 && is_half(from)) || (is_half(to) && from == PTX_F32))
        return "H";
    const bool i2fp = b->gpu->cc_major >= 9 && to == PTX_F32 && !ptx_type_float(from) && ptx_type_bits(from) <= 32;
    return i2fp ? "a" : "c";
}

static const char *control(const struct ptx_inst *i)
{
    const u8 flow = ptx_op_rows[i->op].flow;
    if (flow == FLOW_BRANCH || flow == FLOW_TABLE || flow == FLOW_END || flow == FLOW_CALL)
        return "b";
    return ptx_op_rows[i->op].memory == PTX_MEM_BARRIER ? "s" : "n";
}

static const char *integer(const struct ptx_inst *i)
{
    switch (i->op) {
    case OP_MUL:
    case OP_MAD:
    case OP_MADC:
    case OP_MUL24:
    case OP_MAD24:
    case OP_DP4A:
    case OP_DP2A:
        return "h";
    case OP_MOV:
        return i->operands[i->noperands - 1].kind == PTX_SREG ? "s" : "a";
    case OP_DIV:
    case OP_REM:
        return i->noperands > 2 && i->operands[2].kind == PTX_IMM ? "hhaa" : division(first_type(i));
    default:
        return "a";
    }
}

/* The letters of an instruction's sequence; the last one is as often as there are instructions left. */
static const char *pipes(const struct build *b, const struct ptx_inst *i, enum ir_unit unit)
{
    const enum ptx_type t = first_type(i);
    switch (unit) {
    case IR_UNIT_INT:
        return integer(i);
    case IR_UNIT_FP32:
        return i->op == OP_DIV ? division(t)
               : i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA || i->op == OP_MAD ? "f"
                                                                                                             : "xf";
    case IR_UNIT_FP16:
        return "H";
    case IR_UNIT_FP64:
        return i->op == OP_DIV || i->op == OP_RCP || i->op == OP_SQRT || i->op == OP_RSQRT ? division(t)
               : i->op == OP_SELP                                                          ? "a"
                                                                                           : "d";
    case IR_UNIT_SFU:
        return "x";
    case IR_UNIT_CONVERT:
        return i->op == OP_CVT ? conversion(b, i) : "c";
    case IR_UNIT_SHUFFLE:
        return "l";
    case IR_UNIT_TENSOR:
        return "t";
    case IR_UNIT_CONTROL:
        return control(i);
    case IR_UNIT_NONE: /* parameters that are loaded */
        return i->op == OP_LD ? "s" : "a";
    default:
        return "a";
    }
}

/* Each instruction of it needs the one before: carries, sequences. */
static bool is_chain(const struct ptx_inst *i, struct ir_cost cost)
{
    const bool wide = ptx_type_bits(first_type(i)) == 64 && !ptx_type_float(first_type(i));
    return cost.chain || i->op == OP_DIV || i->op == OP_REM ||
           (wide && (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_MAD || i->op == OP_SETP));
}

/* ---- memory ---- */

static void order_after(struct build *b, const struct tracked *t)
{
    for (u32 k = 0; k < b->ntracked; k++) {
        const struct tracked *o = &b->tracked[k];
        const bool meet = o->space == t->space || o->space == SPACE_NONE || t->space == SPACE_NONE;
        const bool apart =
            o->base == t->base && (o->offset + o->bytes <= t->offset || t->offset + t->bytes <= o->offset);
        if (meet && !apart && !(o->reads_only && t->reads_only))
            after(b, o->node, t->node);
    }
}

static void order_all(struct build *b, u32 node)
{
    after(b, b->fence, node);
    for (u32 k = 0; k < b->ntracked; k++)
        after(b, b->tracked[k].node, node);
    b->ntracked = 0;
    b->fence = node;
}

static void order_access(struct build *b, const struct tracked *t)
{
    if (b->ntracked == TRACKED) {
        order_all(b, t->node);
    } else {
        after(b, b->fence, t->node);
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
            const struct value *v = value_of(b, i->operands[k].elems[0].var->index);
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
    const u32 bytes = width ? width : ptx_type_bits(first_type(i)) / 8 * ptx_vec_count(i);
    return bytes > 4 ? bytes / 4 : 1;
}

/* What a compiler assumes: the code of ptxas 13.0 for sm_90 looks as if outside of loops all loads came first, and in loops a use
 * came some 20 cycles behind. */
static u32 memory_latency(const struct build *b, const struct ptx_inst *i)
{
    enum { FAR = 200, FAR_IN_LOOP = 26, NEAR_IN_LOOP = 16 };
    const bool loop = b->f->blocks[b->block].loop_depth > 0;
    if (i->space == SPACE_SHARED || i->space == SPACE_CONST)
        return loop ? NEAR_IN_LOOP : b->latency.shared;
    return loop ? FAR_IN_LOOP : FAR;
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
    const u32 node = add_node(b, memory_pipe(i), memory_latency(b, i), result, site);
    struct node *n = &b->g->nodes.at[node];
    n->inst.op = REPLAY_MEMORY;
    n->inst.latency = 0;
    n->words = load && result ? (u8)words_of(i, b->e->sites[site].width) : 0;
    if (!result)
        n->latency = 1;
    use(b, needs, node);
    struct tracked t = {.node = node, .space = i->space, .reads_only = load && !is_ordered(i)};
    if (i->space == SPACE_CONST || ptx_has(i, MOD_NC)) {
        after(b, b->fence, node);
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
static void find_parts(struct build *b, u32 leader)
{
    enum { NEAR = 256 };
    const struct ir_block *block = &b->f->blocks[b->f->block_of_site[leader]];
    const struct ptx_inst *l = &b->f->src->insts[leader];
    const struct ptx_operand *a = address_of(l);
    if (!a || (a->elems[0].kind != PTX_REG && a->elems[0].kind != PTX_VAR))
        return;
    const u32 want = b->e->sites[leader].width / (ptx_type_bits(first_type(l)) / 8 * ptx_vec_count(l));
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
static u32 add_part(struct build *b, u32 site, const struct value *needs)
{
    const u32 leader = b->merged[site].leader - 1;
    struct merged *m = &b->merged[leader];
    const struct ptx_inst *l = &b->f->src->insts[leader];
    if (!m->seen++)
        m->needs = (struct value){0};
    add_value(b, &m->needs, needs);
    if (l->op == OP_LD ? m->seen == 1 : m->seen == m->parts)
        m->node = add_access(b, l, leader, &m->needs, l->op == OP_LD);
    if (m->seen == m->parts)
        m->seen = 0;
    return m->node;
}

/* ---- instructions ---- */

static struct value result_of(struct build *b, u32 node)
{
    return (struct value){.source = {node}, .n = 1, .base = b->bases++};
}

/* Predicates, and products of 64 bits, take longer than their pipe's other results. */
static void set_latency(const struct build *b, u32 node, const struct ptx_inst *i, bool predicate)
{
    struct node *n = &b->g->nodes.at[node];
    if (n->variable)
        return;
    n->predicate = predicate;
    if (predicate)
        n->latency = (u16)predicate_latency(b);
    else if (n->inst.pipe == PIPE_FMAHEAVY && ptx_has(i, MOD_WIDE))
        n->latency++;
}

/* A sequence of machine instructions; the value of its last, or of all. */
static struct value add_sequence(struct build *b, u32 site, u32 n, const struct value *needs, bool predicate)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const struct ir_cost cost = latency_cost(i);
    const char *letters = pipes(b, i, cost.unit);
    const bool chain = is_chain(i, cost);
    struct value result = {.base = b->bases++};
    for (u32 k = 0; k < n; k++) {
        const u32 node = add_unit(b, *letters, site);
        b->g->nodes.at[node].inst.constant = needs->constant && k == 0;
        set_latency(b, node, i, predicate);
        if (k == 0 || !chain)
            use(b, needs, node);
        if (k && chain) {
            use(b, &result, node);
            result.n = 0;
        }
        add_source(b, &result, node);
        letters += letters[1] != 0;
    }
    return result;
}

/* Matrices: the addresses of a lane, then its accesses. */
static struct value add_matrix_access(struct build *b, u32 site, u32 weight, const struct value *needs, bool load)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const u32 accesses = b->e->sites[site].accesses;
    const struct value address = weight > accesses ? add_sequence(b, site, weight - accesses, needs, false) : *needs;
    struct value result = {.base = b->bases++}, all = *needs;
    add_value(b, &all, &address);
    for (u32 k = 0; k < accesses; k++)
        add_source(b, &result, add_access(b, i, site, &all, load));
    return result;
}

static struct value add_memory(struct build *b, u32 site, u32 weight, const struct value *needs,
                               const struct touched *t)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const u8 memory = ptx_op_rows[i->op].memory;
    if (memory == PTX_MEM_MATRIX_LOAD || memory == PTX_MEM_MATRIX_STORE)
        return add_matrix_access(b, site, weight, needs, t->writes.len > 0);
    const u32 node = add_access(b, i, site, needs, t->writes.len > 0 && !b->e->sites[site].unused);
    if (memory == PTX_MEM_STORE || b->e->sites[site].unused)
        note_stores(b, t, node);
    return result_of(b, node);
}

/* Barriers, fences and what waits for copies: memory does not pass them. */
static struct value add_order(struct build *b, u32 site, enum replay_op op, enum replay_pipe pipe,
                              const struct value *needs)
{
    const u32 node = add_node(b, pipe, 1, false, site);
    b->g->nodes.at[node].inst.op = (u8)op;
    use(b, needs, node);
    order_all(b, node);
    return result_of(b, node);
}

static u32 copies_left(const struct ptx_inst *i)
{
    return i->noperands && i->operands[0].kind == PTX_IMM ? (u32)i->operands[0].bits : 0;
}

static struct value add_barrier(struct build *b, u32 site, const struct value *needs, bool result)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const bool of_block = i->op == OP_BAR || i->op == OP_BARRIER;
    struct value v = add_order(b, site, of_block ? REPLAY_BARRIER : REPLAY_PLAIN, PIPE_ADU, needs);
    struct node *n = &b->g->nodes.at[v.source[0]];
    n->variable = result;
    n->latency = result ? (u16)b->latency.shared : 1;
    return v;
}

static struct value add_machine(struct build *b, u32 site, u32 weight, const struct value *needs,
                                const struct touched *t)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    switch (latency_cost(i).unit) {
    case IR_UNIT_MEMORY:
        return add_memory(b, site, weight, needs, t);
    case IR_UNIT_FENCE:
        return add_order(b, site, REPLAY_FENCE, PIPE_LSU, needs);
    case IR_UNIT_SLEEP:
        return add_order(b, site, REPLAY_SLEEP, PIPE_NONE, needs);
    case IR_UNIT_COPY_COMMIT:
        return add_order(b, site, REPLAY_COPY_COMMIT, PIPE_LSU, needs);
    case IR_UNIT_COPY_WAIT: {
        const struct value v = add_order(b, site, REPLAY_COPY_WAIT, PIPE_LSU, needs);
        b->g->nodes.at[v.source[0]].inst.count = (u16)copies_left(i);
        return v;
    }
    default:
        if (ptx_op_rows[i->op].memory == PTX_MEM_BARRIER)
            return add_barrier(b, site, needs, t->writes.len > 0);
        if (ptx_op_rows[i->op].memory == PTX_MEM_FENCE) /* of a block: nothing to wait for */
            return add_order(b, site, REPLAY_PLAIN, PIPE_NONE, needs);
        return add_sequence(b, site, weight, needs, t->predicate);
    }
}

/* ---- what takes no instruction ---- */

static void keep_base(struct build *b, const struct ptx_inst *i, struct value *v)
{
    const bool copy = (i->op == OP_MOV || i->op == OP_CVTA) && i->noperands == 2 && i->operands[1].kind == PTX_REG;
    if (!copy && !is_step(i))
        return;
    const struct value *from = value_of(b, i->operands[1].var->index);
    const i64 step = copy ? 0 : (i64)i->operands[2].bits;
    v->base = from->base;
    v->offset = from->offset + (i->op == OP_SUB ? -step : step);
}

/* A parameter is a constant of what uses it, where it is not loaded. */
static bool is_parameter(const struct ptx_inst *i) { return i->op == OP_LD && i->space == SPACE_PARAM; }

/* In all turns of an unrolled loop but the last, counters are constants off from where they were, and nobody asks
 * whether it was the last turn. */
static bool is_unrolled_away(const struct build *b, const struct ptx_inst *i, const struct ptx_inst *branch)
{
    if (b->copy + 1 >= b->copies)
        return false;
    const bool question = i->op == OP_SETP && i->operands[0].kind == PTX_REG && branch->guard == i->operands[0].var;
    return is_counter(i) || question || i == branch;
}

static u32 weight_of(const struct build *b, u32 site)
{
    const u32 weight = b->e->sites[site].weight;
    const u32 head = 1 + (b->gpu->cc_major >= 8);
    return site == 0 && b->f->src->is_entry && weight >= head ? weight - head : weight;
}

/* The stack pointer and the descriptor of global memory, at a kernel's start. */
static void add_head(struct build *b)
{
    for (u32 k = 0; k < 1u + (b->gpu->cc_major >= 8); k++)
        add_unit(b, 'u', 0);
}

static bool reads_clock(const struct ptx_inst *i)
{
    const struct ptx_operand *o = i->op == OP_MOV && i->noperands == 2 ? &i->operands[1] : NULL;
    return o && o->kind == PTX_SREG && ptx_sreg_rows[o->sreg].scope == SREG_SCOPE_MOVING;
}

static bool ends_kernel(const struct build *b, const struct ptx_inst *i)
{
    return ptx_op_rows[i->op].flow == FLOW_END && (i->op != OP_RET || b->f->src->is_entry) && !i->guard && !b->guarded;
}

static void add_inst(struct build *b, u32 site, const struct ptx_inst *branch)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    struct touched t = {0};
    ir_each_reg(i, touch, &(struct touching){b, &t});
    const struct value needs = operands_of(b, &t);
    struct value result = needs;
    const u32 weight = is_unrolled_away(b, i, branch) ? 0 : weight_of(b, site);
    b->first = b->g->nodes.len;
    result.base = b->bases++;
    result.offset = 0;
    if (b->merged[site].leader)
        result = result_of(b, add_part(b, site, &needs));
    else if (weight && !b->e->sites[site].follows)
        result = add_machine(b, site, weight, &needs, &t);
    else if (is_parameter(i))
        result.constant = b->f->src->is_entry;
    keep_base(b, i, &result);
    define(b, i, &t, &result);
    const u8 flow = ptx_op_rows[i->op].flow;
    const bool leaves = flow == FLOW_BRANCH || flow == FLOW_TABLE || flow == FLOW_END || flow == FLOW_CALL;
    if (b->g->nodes.len == b->first || (!leaves && !reads_clock(i)))
        return;
    if (ends_kernel(b, i))
        b->g->nodes.at[b->g->nodes.len - 1].inst.op = REPLAY_EXIT;
    make_cut(b, b->g->nodes.len - 1);
}

/* ---- groups ---- */

/* The last instruction of a block, when it branches. */
static const struct ptx_inst *branch_of(const struct build *b, u32 block)
{
    const struct ir_block *k = &b->f->blocks[block];
    const struct ptx_inst *last = k->end > k->first ? &b->f->src->insts[k->end - 1] : NULL;
    return last && last->op == OP_BRA ? last : NULL;
}

static bool leads_to(const struct build *b, u32 from, u32 to)
{
    const struct ir_block *k = &b->f->blocks[from];
    for (u32 n = 0; n < k->nsucc; n++)
        if (k->succs[n] == to)
            return true;
    return false;
}

/* Of two bodies of a branch a warp's lane runs one: what the first one writes the second one does not see. */
static void hide_changes(struct build *b, u32 n, u32 block)
{
    while (n-- > 0) {
        const struct change *c = &b->changes.at[n];
        if (!leads_to(b, c->block, block))
            b->values[c->reg] = c->before;
    }
}

static void show_changes(struct build *b, u32 n, u32 block)
{
    for (u32 k = 0; k < n; k++) {
        const struct change *c = &b->changes.at[k];
        if (!leads_to(b, c->block, block))
            add_value(b, &b->values[c->reg], &c->behind);
    }
}

static void add_insts(struct build *b, u32 block)
{
    for (u32 site = b->f->blocks[block].first; site < b->f->blocks[block].end; site++)
        add_inst(b, site, branch_of(b, block));
}

static void add_block(struct build *b, u32 block)
{
    const u32 others = b->changes.len;
    b->block = block;
    b->guarded = b->e->counts_as[block] != block;
    if (b->guarded) {
        hide_changes(b, others, block);
        add_insts(b, block);
        show_changes(b, others, block);
        b->guarded = false;
        return;
    }
    b->changes.len = 0;
    add_insts(b, block);
    const struct ptx_inst *branch = branch_of(b, block);
    if (branch && branch->guard)
        b->guard = *value_of(b, branch->guard->index);
}

static void finish(struct build *b)
{
    for (u32 k = 0; k < b->g->written.len; k++) {
        const u32 reg = b->g->written.at[k];
        const struct value *v = &b->values[reg];
        for (u32 s = 0; s < v->n; s++)
            if (v->source[s] & LIVE)
                vec_push(b->mem, &b->g->passed, ((struct reg_reg){reg, v->source[s] & ~LIVE}));
            else
                vec_push(b->mem, &b->g->writes, ((struct node_reg){v->source[s], reg}));
    }
}

struct graph *build_graph(struct build *b, const u32 *blocks, u32 n, u32 copies)
{
    b->g = arena_new(b->mem, struct graph);
    b->now++;
    b->ntracked = 0;
    b->fence = b->cut = NO_NODE;
    b->guard = (struct value){0};
    b->copies = copies;
    if (n && b->f->src->is_entry && b->f->blocks[blocks[0]].first == 0)
        add_head(b);
    for (b->copy = 0; b->copy < copies; b->copy++)
        for (u32 k = 0; k < n; k++)
            add_block(b, blocks[k]);
    finish(b);
    return b->g;
}

struct build *build_make(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e)
{
    const u32 nregs = f->src->nregs, nsites = f->src->ninsts;
    struct build *b = arena_new(mem, struct build);
    *b = (struct build){.mem = mem, .gpu = gpu, .f = f, .e = e, .latency = latencies_of(gpu), .bases = nregs};
    b->merged = arena_array(mem, struct merged, nsites + 1);
    b->values = arena_array(mem, struct value, nregs + 1);
    b->stamp = arena_array(mem, u32, nregs + 1);
    b->written = arena_array(mem, u32, nregs + 1);
    b->store = arena_array(mem, u32, nregs + 1);
    b->store_stamp = arena_array(mem, u32, nregs + 1);
    for (u32 s = 0; s < nsites; s++)
        if (e->sites[s].width && !e->sites[s].follows && (f->src->insts[s].op == OP_LD || f->src->insts[s].op == OP_ST))
            find_parts(b, s);
    return b;
}
