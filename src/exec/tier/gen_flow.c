/* gen_flow.c - control: edges between nodes, branches, the ends of code, entries, units, and the whole in order. */
#include <string.h>

#include "exec/sched.h"
#include "exec/tier/gen_part.h"

/* ---- leaving ---- */

void gen_leave(struct gen *e)
{
    const struct graph *g = e->g;
    u64 *live = arena_array(e->mem, u64, g->words);
    struct shape *shapes = arena_array(e->mem, struct shape, g->cells.len);
    LS_BUG_ON(e->mask != NULL);
    graph_live_at(g, e->node, e->unit, live);
    for (u32 k = 0; k < g->cells.len; k++)
        shapes[k] = shape_of(&e->now[k]);
    const struct tier_state s = frame_state(e, g->units.at[e->unit].first, live, shapes);
    frame_store(e, &s);
    vec_push(e->mem, &e->states, s);
    gen_end(e, TIER_LEAVE, e->states.len - 1);
}

void gen_leave_unless(struct gen *e, llvm_value ok)
{
    llvm_block go = gen_block(e), stop = gen_block(e);
    gen_branch(e, ok, go, stop, 1);
    gen_here(e, stop);
    gen_leave(e);
    gen_here(e, go);
}

/* ---- edges ---- */

/* What comes to the node changes what is known there. */
static void join_shapes(struct gen *e, u32 node)
{
    struct node *n = &e->g->nodes.at[node];
    e->changed |= !n->reached;
    n->reached = true;
    for (u32 k = 0; k < e->g->cells.len; k++) {
        if (!bit_is_set(n->live, k))
            continue;
        const struct shape s = shape_meet(n->in[k], shape_of(&e->now[k]));
        e->changed |= !shape_same(s, n->in[k]);
        n->in[k] = s;
    }
}

void gen_goto(struct gen *e, u32 node)
{
    const struct node *n = &e->g->nodes.at[node];
    struct block_code *to = &e->nodes[node];
    if (e->dry) {
        join_shapes(e, node);
        e->ll->BuildUnreachable(e->b);
        return;
    }
    llvm_block from = e->ll->GetInsertBlock(e->b);
    for (u32 k = 0; k < e->g->cells.len; k++) {
        if (!to->phi[k])
            continue;
        llvm_value v = gen_coerce(e, e->now[k], n->in[k], e->g->cells.at[k].kind).v;
        e->ll->AddIncoming(to->phi[k], &v, &from, 1);
    }
    e->ll->BuildBr(e->b, to->block);
}

/* Leaves the node's cells in memory for an entry. */
static void end_at_entry(struct gen *e, enum tier_end how, u32 node)
{
    const struct graph *g = e->g;
    const struct node *n = &g->nodes.at[node];
    if (e->dry) {
        join_shapes(e, node);
        e->ll->BuildUnreachable(e->b);
        return;
    }
    LS_BUG_ON(!n->entry);
    frame_store(e, &e->states.at[g->node_entry[node]]);
    gen_end(e, how, g->node_entry[node]);
}

/* A backward branch takes from the warp's budget; when that is used up, the warp goes on later, at the target. */
static void go_back(struct gen *e, u32 node, u32 cost)
{
    e->pays = true;
    llvm_value at = gen_at(e, e->w, offsetof(struct warp, budget));
    llvm_value left = B(Sub, gen_load(e, e->i32, at, 4), gen_int(e, e->i32, cost));
    llvm_block go = gen_block(e), stop = gen_block(e);
    gen_store(e, left, at, 4);
    gen_branch(e, B(ICmp, LLVM_SGT, left, gen_int(e, e->i32, 0)), go, stop, 1);
    gen_here(e, stop);
    end_at_entry(e, TIER_YIELD, node);
    gen_here(e, go);
    gen_goto(e, node);
}

static void take_edge(struct gen *e, u32 node, u32 cost)
{
    if (cost)
        go_back(e, node, cost);
    else
        gen_goto(e, node);
}

/* ---- the end of a node ---- */

llvm_value gen_taken(struct gen *e, const struct ir_inst *r, bool unless)
{
    llvm_value p = gen_vector(e, gen_get(e, r->a, CELL_PRED), CELL_PRED);
    return unless ? B(Not, p) : p;
}

static void end_with_branch(struct gen *e, const struct unit *u)
{
    const struct graph *g = e->g;
    const struct ir_inst *r = &g->code[u->first];
    const u32 target = graph_node(g, r->target), unless = graph_is_unless(g->names[u->first]);
    llvm_block yes = gen_block(e), no = gen_block(e), some = NULL;
    if (graph_is_jump(g->names[u->first])) {
        e->ll->BuildBr(e->b, yes);
        e->ll->DeleteBasicBlock(no);
        gen_here(e, yes);
        take_edge(e, target, r->aux);
        return;
    }
    const struct value p = gen_get(e, r->a, CELL_PRED);
    llvm_value lanes = NULL;
    if (p.s.kind == SHAPE_VECTOR) {
        some = gen_block(e);
        lanes = gen_taken(e, r, unless);
        llvm_value bits = B(BitCast, lanes, e->i32);
        llvm_block mixed = gen_block(e);
        gen_branch(e, B(ICmp, LLVM_EQ, bits, gen_int(e, e->i32, FULL_MASK)), yes, mixed, 0);
        gen_here(e, mixed);
        gen_branch(e, B(ICmp, LLVM_EQ, bits, gen_int(e, e->i32, 0)), no, some, 0);
    } else {
        llvm_value v = p.v ? p.v : gen_int(e, e->i1, 0);
        gen_branch(e, v, unless ? no : yes, unless ? yes : no, 0);
    }
    struct value *cells = gen_snapshot(e);
    gen_here(e, yes);
    take_edge(e, target, r->aux);
    gen_here(e, no);
    memcpy(e->now, cells, sizeof *cells * g->cells.len);
    take_edge(e, e->node + 1, 0);
    if (some) {
        gen_here(e, some);
        memcpy(e->now, cells, sizeof *cells * g->cells.len);
        gen_part(e, r, lanes);
    }
}

/* The interpreter runs the unit; code goes on behind it, if what it finds there has the shapes that it has now. */
static void leave_and_come_back(struct gen *e, const struct unit *u)
{
    const struct graph *g = e->g;
    gen_leave(e);
    if (!e->dry || g->nodes.at[e->node].nsucc == 0)
        return;
    gen_here(e, gen_block(e));
    for (u32 k = u->writes; k < u->uses_end; k++)
        e->now[g->uses.at[k]] = (struct value){.s = {.kind = SHAPE_VECTOR}};
    for (u32 s = 0; s < g->nodes.at[e->node].nsucc; s++)
        if (g->nodes.at[g->nodes.at[e->node].succ[s]].entry)
            join_shapes(e, g->nodes.at[e->node].succ[s]);
    e->ll->BuildUnreachable(e->b);
}

void gen_node_end(struct gen *e, u32 node)
{
    const struct graph *g = e->g;
    const struct node *n = &g->nodes.at[node];
    const struct unit *u = &g->units.at[n->end - 1];
    e->unit = n->end - 1;
    switch ((enum unit_kind)u->kind) {
    case UNIT_BRANCH:
        end_with_branch(e, u);
        break;
    case UNIT_EXIT:
        gen_end(e, TIER_DONE, 0);
        break;
    case UNIT_BARRIER:
        end_at_entry(e, TIER_BARRIER, node + 1);
        break;
    case UNIT_LEAVE:
        leave_and_come_back(e, u);
        break;
    default:
        gen_goto(e, node + 1);
    }
}

/* ---- units ---- */

/* Of some blocks each way there is counted, as it is taken (gen_part.c). */
static void count_entry(struct gen *e, const struct ir_inst *r)
{
    if (!e->mask || !bit_is_set(e->region->shared, e->g->rank[e->node]))
        gen_count_entry(e, (u32)r->imm, e->mask);
}

static void gen_record(struct gen *e, u32 record)
{
    const struct op *op = e->g->ops[record];
    const struct ir_inst *r = &e->g->code[record];
    if (!op && graph_is_enter(e->g->names[record]))
        count_entry(e, r);
    if (!op)
        return; /* or a join: lanes that have parted are together again */
    switch ((enum op_form)op->form) {
    case OP_LANES:
        gen_lanes_op(e, op, r);
        break;
    case OP_LOAD:
        gen_load_op(e, record);
        break;
    case OP_STORE:
        gen_store_op(e, record);
        break;
    case OP_PACK:
    case OP_UNPACK:
        gen_pack_op(e, op, r);
        break;
    case OP_SHUFFLE:
        gen_shuffle_op(e, op, r);
        break;
    case OP_GUARD:
    case OP_NOTHING:
        break;
    }
}

static void gen_records(struct gen *e, const struct unit *u)
{
    for (u32 k = u->first; k < u->end; k++)
        gen_record(e, k);
}

/* What lanes that an instruction does not run in need of what was before: all that is live behind it. */
static u64 *needed_behind(struct gen *e, llvm_value outer)
{
    u64 *needed = arena_array(e->mem, u64, e->g->words);
    graph_live_at(e->g, e->node, e->unit + 1, needed);
    for (u32 k = 0; outer && k < e->g->words; k++)
        needed[k] |= e->needed[k];
    return needed;
}

/* A predicated instruction, past which control goes when no lane has the predicate. */
static void gen_guarded(struct gen *e, const struct unit *u)
{
    const struct ir_inst *guard = &e->g->code[u->first];
    const bool unless = strcmp(e->g->names[u->first], "guard_not") == 0;
    const struct value p = gen_get(e, guard->a, CELL_PRED);
    llvm_value outer = e->mask, some, lanes = NULL;
    llvm_block run = gen_block(e), skip = gen_block(e), ends[2];
    struct value *cells = gen_snapshot(e);
    if (p.s.kind == SHAPE_VECTOR) {
        lanes = unless ? B(Not, p.v) : p.v;
        lanes = outer ? B(And, outer, lanes) : lanes;
        some = B(ICmp, LLVM_NE, B(BitCast, lanes, e->i32), gen_int(e, e->i32, 0));
    } else {
        some = p.v ? p.v : gen_int(e, e->i1, 0);
        some = unless ? B(Not, some) : some;
        lanes = outer;
    }
    u64 *outer_needed = e->needed;
    gen_branch(e, some, run, skip, 0);
    gen_here(e, run);
    e->mask = lanes;
    e->needed = needed_behind(e, outer);
    e->reached.len = 0; /* what is asked here is not known behind it, and nothing before it is of these lanes alone */
    gen_records(e, u);
    e->reached.len = 0;
    e->mask = outer;
    e->needed = outer_needed;
    gen_meet(e, cells, skip, ends);
}

/* Places to leave are code for all that is live there: in a long kernel there are some, which the seed chooses. */
enum { MOST_LEAVES = 32 };

static bool may_leave(const struct gen *e, u32 unit)
{
    const u32 apart = e->g->units.len / MOST_LEAVES + 1;
    return e->mixed && !e->mask && (unit + e->mixed) * 2654435761u % 65521 % apart == 0;
}

/* After as many such places as the engine has said. */
static void leave_by_chance(struct gen *e)
{
    llvm_value at = gen_at(e, e->args, offsetof(struct tier_args, chance));
    llvm_value left = B(Sub, gen_load(e, e->i32, at, 4), gen_int(e, e->i32, 1));
    gen_store(e, left, at, 4);
    gen_leave_unless(e, B(ICmp, LLVM_NE, left, gen_int(e, e->i32, 0)));
}

void gen_units(struct gen *e, u32 node)
{
    const struct graph *g = e->g;
    const struct node *n = &g->nodes.at[node];
    e->reached.len = 0;
    for (u32 k = n->first; k < n->end; k++) {
        const struct unit *u = &g->units.at[k];
        e->unit = k;
        if (may_leave(e, k))
            leave_by_chance(e);
        if (u->kind == UNIT_BODY)
            gen_body_unit(e, u);
        else if (u->kind == UNIT_OPS && u->guarded)
            gen_guarded(e, u);
        else if (u->kind == UNIT_OPS)
            gen_records(e, u);
    }
}

/* ---- the whole ---- */

/* Cells as they come to the node: in a dry run something that nobody knows, else phis. */
static void begin_node(struct gen *e, u32 node)
{
    const struct graph *g = e->g;
    const struct node *n = &g->nodes.at[node];
    memset(e->now, 0, sizeof *e->now * g->cells.len);
    memcpy(e->stale, n->stale, sizeof *e->stale * g->words);
    for (u32 k = 0; k < g->cells.len; k++) {
        if (!bit_is_set(n->live, k) || n->in[k].kind == SHAPE_NONE)
            continue;
        const struct cell *c = &g->cells.at[k];
        if (e->dry || n->in[k].known)
            e->now[k] = frame_load(e, n->in[k], c->at, c->kind);
        else
            e->now[k] = (struct value){.v = e->nodes[node].phi[k], .s = n->in[k]};
    }
}

static void gen_node(struct gen *e, u32 node)
{
    e->node = node;
    e->mask = NULL;
    gen_here(e, e->nodes[node].block);
    begin_node(e, node);
    gen_units(e, node);
    gen_node_end(e, node);
}

static void make_phis(struct gen *e, u32 node)
{
    const struct graph *g = e->g;
    const struct node *n = &g->nodes.at[node];
    e->nodes[node].phi = arena_array(e->mem, llvm_value, g->cells.len);
    gen_here(e, e->nodes[node].block);
    for (u32 k = 0; k < g->cells.len; k++) {
        const u8 kind = g->cells.at[k].kind;
        llvm_type t = kind == CELL_64 ? e->i64 : kind == CELL_PRED ? e->i1 : e->i32;
        if (bit_is_set(n->live, k) && n->in[k].kind != SHAPE_NONE && !n->in[k].known)
            e->nodes[node].phi[k] = B(Phi, n->in[k].kind == SHAPE_VECTOR ? gen_lanes_of(e, t) : t);
    }
}

/* From where the engine comes in: loads what is live and goes to the node. */
static void gen_entry(struct gen *e, u32 node, llvm_value choice)
{
    const struct tier_state *s = &e->states.at[e->g->node_entry[node]];
    llvm_block block = gen_block(e);
    e->ll->AddCase(choice, gen_int(e, e->i32, e->g->node_entry[node]), block);
    gen_here(e, block);
    memset(e->now, 0, sizeof *e->now * e->g->cells.len);
    for (u32 k = 0; k < s->ncells; k++)
        e->now[e->g->cell_of[s->cells[k].at / 4] - 1] = frame_load(e, s->cells[k].s, s->cells[k].at, s->cells[k].kind);
    gen_goto(e, node);
}

void gen_dry(struct gen *e)
{
    struct graph *g = e->g;
    for (u32 k = 0; k < g->nodes.len; k++)
        e->nodes[k].block = gen_block(e);
    e->changed = false;
    for (u32 k = 0; k < g->nodes.len; k++)
        if (g->nodes.at[k].reached)
            gen_node(e, k);
}

void gen_for_good(struct gen *e)
{
    struct graph *g = e->g;
    frame_find_stale(g);
    for (u32 k = 0; k < g->nodes.len; k++) {
        const struct node *n = &g->nodes.at[k];
        if (!n->entry || !n->reached)
            continue;
        g->node_entry[k] = e->states.len;
        const struct tier_state s = frame_state(e, g->units.at[n->first].first, n->live, n->in);
        vec_push(e->mem, &e->states, s);
    }
    e->nentries = e->states.len;
    llvm_block lost = gen_block(e);
    gen_here(e, e->head);
    llvm_value choice = e->ll->BuildSwitch(e->b, e->entry, lost, e->nentries);
    gen_here(e, lost);
    e->ll->BuildUnreachable(e->b);
    for (u32 k = 0; k < g->nodes.len; k++) {
        e->nodes[k].block = gen_block(e);
        if (g->nodes.at[k].reached)
            make_phis(e, k);
        else {
            gen_here(e, e->nodes[k].block);
            e->ll->BuildUnreachable(e->b);
        }
    }
    for (u32 k = 0; k < g->nodes.len; k++)
        if (g->nodes.at[k].reached && g->nodes.at[k].entry)
            gen_entry(e, k, choice);
    for (u32 k = 0; k < g->nodes.len; k++)
        if (g->nodes.at[k].reached)
            gen_node(e, k);
    gen_sweep_end(e);
}
