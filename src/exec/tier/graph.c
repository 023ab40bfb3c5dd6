/* graph.c - from records to cells, units and nodes, and which cells are live where. */
#include "exec/tier/graph.h"

#include <string.h>

#include "exec/bodies/bodies.h"
#include "ir/pass.h"

/* ---- cells ---- */

const struct ir_const *graph_const(const struct graph *g, u32 at)
{
    for (u32 k = 0; k < g->f->nconsts; k++)
        if (g->f->consts[k].at == at)
            return &g->f->consts[k];
    return NULL;
}

static u32 cell_at(struct graph *g, u32 at, u8 kind)
{
    u32 *slot = &g->cell_of[at / 4];
    if (!*slot) {
        const struct cell c = {at, kind};
        vec_push(g->mem, &g->cells, c);
        *slot = g->cells.len;
    }
    LS_BUG_ON(g->cells.at[*slot - 1].kind != kind);
    return *slot - 1;
}

/* Notes that the unit under way reads the slot before it writes it, or writes it, unless it is a constant. */
static void use(struct graph *g, u32 at, u8 kind, bool writes)
{
    if (graph_const(g, at))
        return;
    const u32 c = cell_at(g, at, kind);
    for (u32 k = 0; k < g->written.len; k++)
        if (g->written.at[k] == c)
            return;
    if (writes)
        vec_push(g->mem, &g->written, c);
    else
        vec_push(g->mem, &g->uses, c);
}

static u8 kind_of_letter(char c) { return c == 'l' || c == 'd' ? CELL_64 : c == 'p' ? CELL_PRED : CELL_32; }

/* ---- what records read and write ---- */

static u8 element_kind(const struct op *op) { return op->size == 8 ? CELL_64 : CELL_32; }

/* The elements of a vector, or the one there is. */
static void use_list(struct graph *g, const struct op *op, const struct ir_inst *r, u32 one, bool writes)
{
    if (op->count == 1)
        use(g, one, element_kind(op), writes);
    for (u32 k = 0; op->count > 1 && k < op->count; k++)
        use(g, r->list[k], element_kind(op), writes);
}

static void use_address(struct graph *g, const struct ir_inst *r)
{
    if (!(r->aux & IR_ADDR_CONST))
        use(g, r->a, r->aux & IR_ADDR32 ? CELL_32 : CELL_64, false);
}

static void record_reads(struct graph *g, const struct op *op, const struct ir_inst *r)
{
    const u32 at[] = {r->a, r->b, r->c, r->aux};
    if (op->form == OP_LOAD || op->form == OP_STORE)
        use_address(g, r);
    if (op->form == OP_STORE || op->form == OP_PACK)
        use_list(g, op, r, r->b, false);
    if (op->form == OP_LANES || op->form == OP_GUARD || op->form == OP_UNPACK || op->form == OP_SHUFFLE)
        for (u32 k = 0; op->spec[0] && op->spec[1 + k]; k++)
            use(g, at[k], kind_of_letter(op->spec[1 + k]), false);
}

static void record_writes(struct graph *g, const struct op *op, const struct ir_inst *r)
{
    if (op->form == OP_LOAD || op->form == OP_UNPACK)
        use_list(g, op, r, r->d, true);
    else if ((op->form == OP_LANES || op->form == OP_PACK || op->form == OP_SHUFFLE) && op->spec[0] != '-')
        use(g, r->d, kind_of_letter(op->spec[0]), true);
    if (op->form == OP_SHUFFLE)
        use(g, r->aux, CELL_PRED, true);
}

struct register_uses {
    struct graph *g;
    bool writes;   /* those that the instruction writes, else those that it reads */
    bool as_write; /* what they are noted as */
};

static void use_register(void *ctx, const struct ptx_var *reg, bool is_write)
{
    const struct register_uses *u = ctx;
    const enum slot_class c = ir_class(reg->type);
    if (is_write == u->writes && c != CLASS_128)
        use(u->g, u->g->f->place[reg->index],
            c == CLASS_64     ? CELL_64
            : c == CLASS_PRED ? CELL_PRED
                              : CELL_32,
            u->as_write);
}

static void use_registers(struct graph *g, u32 site, bool writes, bool as_write)
{
    struct register_uses u = {g, writes, as_write};
    ir_each_reg(&g->f->src->insts[site], use_register, &u);
}

static void note_uses(struct graph *g, struct unit *u)
{
    const u32 site = g->code[u->first].site;
    g->written.len = 0;
    u->reads = g->uses.len;
    for (u32 k = u->first; u->kind == UNIT_OPS && k < u->end; k++)
        if (g->ops[k]) {
            record_reads(g, g->ops[k], &g->code[k]);
            record_writes(g, g->ops[k], &g->code[k]);
        }
    if (u->kind == UNIT_BRANCH && strncmp(g->names[u->first], "jump", 4) != 0)
        use(g, g->code[u->first].a, CELL_PRED, false);
    if (u->kind == UNIT_BODY || u->kind == UNIT_LEAVE)
        use_registers(g, site, false, false);
    if (u->kind == UNIT_BODY && u->guarded) /* lanes that do not run keep what they have */
        use_registers(g, site, true, false);
    if (u->kind == UNIT_BODY || u->kind == UNIT_LEAVE)
        use_registers(g, site, true, true);
    u->writes = g->uses.len;
    for (u32 k = 0; k < g->written.len; k++)
        vec_push(g->mem, &g->uses, g->written.at[k]);
    u->uses_end = g->uses.len;
}

/* ---- units ---- */

static bool is_plain_const(const struct graph *g, u32 at)
{
    const struct ir_const *c = graph_const(g, at);
    return c && c->kind == IR_CONST_32;
}

/* A warp-wide operation that names all 32 lanes. */
static bool all_members(const struct graph *g, const struct ir_inst *r)
{
    return r->imm >= 0 && is_plain_const(g, (u32)r->imm) && (u32)graph_const(g, (u32)r->imm)->value == FULL_MASK;
}

/* Bodies of warp-wide operations come back at once when all lanes are there. */
static bool is_warp_wide(const char *name)
{
    static const char *const starts[] = {"shfl_", "vote_", "match_",   "redux_",   "elect",    "bar_warp",
                                         "mma",   "wmma",  "ldmatrix", "stmatrix", "movmatrix"};
    for (size_t k = 0; k < LS_ARRAY_LEN(starts); k++)
        if (strncmp(name, starts[k], strlen(starts[k])) == 0)
            return true;
    return false;
}

/* The operation of a record, if it can be compiled with the record's flags. */
static const struct op *op_of(const struct graph *g, u32 record)
{
    const struct op *op = op_find(g->names[record]);
    const struct ir_inst *r = &g->code[record];
    if (!op)
        return NULL;
    if ((op->form == OP_LOAD || op->form == OP_STORE) && r->aux & IR_VOLATILE)
        return NULL;
    if (op->form == OP_LOAD && op->size < 8 && r->aux & (IR_REG64 | IR_REG16))
        return NULL;
    if ((op->form == OP_LOAD || op->form == OP_STORE) && r->aux & IR_ADDR32 && op->space != SPACE_SHARED)
        return NULL;
    if (op->form == OP_SHUFFLE && !(is_plain_const(g, r->b) && is_plain_const(g, r->c) && all_members(g, r)))
        return NULL;
    if (strcmp(op->name, "bar_warp") == 0 && !all_members(g, r))
        return NULL;
    return op;
}

static bool is_branch(const char *name)
{
    return strncmp(name, "branch_if", 9) == 0 || strncmp(name, "branch_unless", 13) == 0 ||
           strncmp(name, "jump", 4) == 0;
}

/* bar.sync of all threads of the block. */
static bool is_plain_barrier(const struct graph *g, u32 record)
{
    const struct ir_inst *r = &g->code[record];
    const struct ir_const *id = graph_const(g, r->a);
    enum { HAS_COUNT = 1 };
    return strcmp(g->names[record], "bar_sync") == 0 && !(r->aux & HAS_COUNT) && id && id->kind == IR_CONST_32;
}

static bool is_control(const struct graph *g, u32 record)
{
    return is_branch(g->names[record]) || strcmp(g->names[record], "exit") == 0 || is_plain_barrier(g, record);
}

static u8 unit_kind(const struct graph *g, u32 first, u32 end)
{
    bool all = true;
    for (u32 k = first; k < end; k++)
        all &= g->ops[k] != NULL;
    if (all)
        return UNIT_OPS;
    bool wide = true;
    for (u32 k = first; k < end; k++)
        wide &= is_warp_wide(g->names[k]) || g->ops[k];
    return wide || ir_flow(&g->f->src->insts[g->code[first].site]) == FLOW_NEXT ? UNIT_BODY : UNIT_LEAVE;
}

static void find_units(struct graph *g)
{
    for (u32 k = 0, end; k < g->n; k = end) {
        struct unit u = {.first = k};
        end = k + 1;
        if (strcmp(g->names[k], "join") == 0 || graph_is_enter(g->names[k]))
            u.kind = UNIT_OPS;
        else if (is_branch(g->names[k]))
            u.kind = UNIT_BRANCH;
        else if (strcmp(g->names[k], "exit") == 0)
            u.kind = UNIT_EXIT;
        else if (is_plain_barrier(g, k))
            u.kind = UNIT_BARRIER;
        else {
            while (end < g->n && g->code[end].site == g->code[k].site && !is_control(g, end) && !g->node_at[end])
                end++;
            u.kind = unit_kind(g, k, end);
            u.guarded = strncmp(g->names[k], "guard", 5) == 0;
            for (u32 n = k; n < end; n++)
                u.whole |= is_warp_wide(g->names[n]);
            g->runs_bodies |= u.kind == UNIT_BODY;
        }
        u.end = end;
        note_uses(g, &u);
        vec_push(g->mem, &g->units, u);
    }
}

/* ---- nodes ---- */

static void find_nodes(struct graph *g)
{
    for (u32 k = 0; k < g->units.len; k++) {
        const struct unit *u = &g->units.at[k];
        const bool ends = k > 0 && g->units.at[k - 1].kind >= UNIT_LEAVE;
        if (k == 0 || ends || g->node_at[u->first]) {
            const struct node n = {.first = k};
            if (g->nodes.len)
                g->nodes.at[g->nodes.len - 1].end = k;
            vec_push(g->mem, &g->nodes, n);
            g->node_at[u->first] = g->nodes.len;
        }
    }
    g->nodes.at[g->nodes.len - 1].end = g->units.len;
}

static u32 node_of(const struct graph *g, const struct ir_inst *to)
{
    LS_BUG_ON(!g->node_at[to - g->code]);
    return g->node_at[to - g->code] - 1;
}

static void add_succ(struct node *n, u32 to) { n->succ[n->nsucc++] = to; }

/* Where control goes behind the node. A node that the interpreter goes on from has all blocks that it may get to. */
static void link_node(struct graph *g, u32 k)
{
    struct node *n = &g->nodes.at[k];
    const struct unit *u = &g->units.at[n->end - 1];
    const struct ir_inst *r = &g->code[u->first];
    const struct ir_block *b = &g->f->blocks[g->f->block_of_site[r->site]];
    n->succ = arena_array(g->mem, u32, 2 + b->nsucc);
    if (u->kind == UNIT_BRANCH)
        add_succ(n, node_of(g, r->target));
    if (u->kind == UNIT_LEAVE && b->end == r->site + 1)
        for (u32 s = 0; s < b->nsucc; s++)
            add_succ(n, node_of(g, &g->code[g->f->code[g->mode].block_at[b->succs[s]]]));
    const bool falls = u->kind == UNIT_BRANCH ? strncmp(g->names[u->first], "jump", 4) != 0 : u->kind != UNIT_EXIT;
    if (falls && k + 1 < g->nodes.len)
        add_succ(n, k + 1);
}

/* Depth first, the later side first, so that of two sides the one that stands first comes first in the reverse. */
static void visit(struct graph *g, u32 node, u32 *left)
{
    const struct node *n = &g->nodes.at[node];
    g->rank[node] = 0;
    for (u32 done = 0; done < n->nsucc; done++) {
        u32 next = UINT32_MAX;
        for (u32 s = 0; s < n->nsucc; s++)
            if (g->rank[n->succ[s]] == UINT32_MAX && (next == UINT32_MAX || n->succ[s] > next))
                next = n->succ[s];
        if (next != UINT32_MAX)
            visit(g, next, left);
    }
    g->order[--*left] = node;
}

static void find_order(struct graph *g)
{
    const u32 n = g->nodes.len;
    u32 left = n;
    g->order = arena_array(g->mem, u32, n);
    g->rank = arena_array(g->mem, u32, n);
    memset(g->rank, 0xff, sizeof *g->rank * n);
    visit(g, 0, &left);
    for (u32 k = n; k-- > 0;) /* what nothing leads to comes first, where it does not matter */
        if (g->rank[k] == UINT32_MAX)
            g->order[--left] = k;
    for (u32 k = 0; k < n; k++)
        g->rank[g->order[k]] = k;
}

/* Where the interpreter may come back to: the beginning, behind barriers and what it does itself, and loops. */
static void find_entries(struct graph *g)
{
    g->nodes.at[0].entry = true;
    for (u32 k = 0; k < g->nodes.len; k++) {
        struct node *n = &g->nodes.at[k];
        const u8 kind = g->units.at[n->end - 1].kind;
        for (u32 s = 0; s < n->nsucc; s++)
            if (n->succ[s] <= k || kind == UNIT_BARRIER || (kind == UNIT_LEAVE && n->succ[s] == k + 1))
                g->nodes.at[n->succ[s]].entry = true;
    }
}

/* ---- liveness ---- */

/* From what is live behind the unit to what is live in front of it. */
static void step_back(const struct graph *g, const struct unit *u, u64 *live)
{
    const bool kills = !u->guarded && u->kind != UNIT_LEAVE;
    for (u32 k = u->writes; k < u->uses_end && kills; k++)
        bit_clear(live, g->uses.at[k]);
    for (u32 k = u->reads; k < u->writes; k++)
        bit_set(live, g->uses.at[k]);
}

static void live_behind(const struct graph *g, const struct node *n, u64 *live)
{
    memset(live, 0, sizeof *live * g->words);
    for (u32 s = 0; s < n->nsucc; s++)
        for (u32 k = 0; k < g->words; k++)
            live[k] |= g->nodes.at[n->succ[s]].live[k];
}

void graph_live_at(const struct graph *g, u32 node, u32 unit, u64 *live)
{
    const struct node *n = &g->nodes.at[node];
    live_behind(g, n, live);
    for (u32 k = n->end; k-- > unit;)
        step_back(g, &g->units.at[k], live);
}

static void find_live(struct graph *g)
{
    u64 *live = arena_array(g->mem, u64, g->words);
    for (u32 k = 0; k < g->nodes.len; k++)
        g->nodes.at[k].live = arena_array(g->mem, u64, g->words);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 k = g->nodes.len; k-- > 0;) {
            struct node *n = &g->nodes.at[k];
            graph_live_at(g, k, n->first, live);
            changed |= memcmp(live, n->live, sizeof *live * g->words) != 0;
            memcpy(n->live, live, sizeof *live * g->words);
        }
    }
}

/* ---- */

static const char *unfit(const struct graph *g)
{
    const struct ptx_func *src = g->f->src;
    if (!src->is_entry)
        return "it is no kernel";
    if (g->n > 20000)
        return "it is too large";
    for (u32 s = 0; s < src->ninsts; s++)
        if (src->insts[s].op == OP_ALLOCA || src->insts[s].op == OP_STACKSAVE || src->insts[s].op == OP_STACKRESTORE)
            return "it allocates from its stack";
        else if (src->insts[s].op == OP_WGMMA_MMA_ASYNC || src->insts[s].op == OP_WGMMA_MMA_ASYNC_SP)
            return "its products write registers some time later";
    return NULL;
}

bool graph_build(struct graph *g, const struct exec_func *f, enum ir_mode mode, const char **why)
{
    g->f = f->ir;
    g->mode = mode;
    g->code = f->ir->code[mode].insts;
    g->n = f->ir->code[mode].n;
    *why = unfit(g);
    if (*why)
        return false;
    g->names = arena_array(g->mem, const char *, g->n);
    g->ops = arena_array(g->mem, const struct op *, g->n);
    g->node_at = arena_array(g->mem, u32, g->n + 1);
    g->cell_of = arena_array(g->mem, u32, f->ir->frame_bytes / 4 + 1);
    for (u32 k = 0; k < g->n; k++) {
        g->names[k] = bodies_name_of(f->module->device->isa, g->code[k].run);
        if (!g->names[k]) {
            *why = "it has records of another shape";
            return false;
        }
        g->ops[k] = op_of(g, k);
    }
    for (u32 b = 0; b <= g->f->nblocks; b++)
        g->node_at[g->f->code[g->mode].block_at[b]] = 1; /* for now: one begins here */
    find_units(g);
    g->words = (g->cells.len + 63) / 64;
    find_nodes(g);
    for (u32 k = 0; k < g->nodes.len; k++)
        link_node(g, k);
    find_order(g);
    g->node_entry = arena_array(g->mem, u32, g->nodes.len);
    for (u32 k = 0; k < g->nodes.len; k++) {
        g->nodes.at[k].in = arena_array(g->mem, struct shape, g->cells.len);
        g->nodes.at[k].stale = arena_array(g->mem, u64, g->words);
    }
    find_entries(g);
    find_live(g);
    return true;
}
