/* gen_part.c - lanes that part.
 *
 * A branch that all lanes take alike is a branch. Where they part, the nodes of both sides are emitted one after the other in
 * the order of the program, each under the mask of the lanes that come there, up to where the sides meet or end: what the
 * interpreter does too, which runs the side with the lower record first. A loop among them runs for as long as any lane
 * stays in it. Where that cannot be done (barriers, warp-wide operations, calls, lanes that may wait for each other), the
 * interpreter goes on. */
#include <string.h>

#include "exec/sched.h"
#include "exec/tier/gen_part.h"

/* ---- lanes that part ---- */

enum { MOST_MASKED = 600 }; /* records */

/* A unit at which a lane may wait for what another lane of the warp does. */
static bool may_wait(const struct graph *g, const struct unit *u)
{
    for (u32 k = u->first; k < u->end; k++)
        if (strncmp(g->names[k], "atom", 4) == 0 ||
            (g->code[k].aux & IR_VOLATILE && strncmp(g->names[k], "ld_", 3) == 0))
            return true;
    return false;
}

/* In this file nodes are named by their places in graph.order. */
/* Whether the lanes of a loop may run in step: its nodes are those from `head` to `last`, which goes back to it. */
static bool is_quiet_loop(const struct graph *g, u32 head, u32 last)
{
    for (u32 k = head; k <= last; k++)
        for (u32 u = part_node(g, k)->first; u < part_node(g, k)->end; u++)
            if (may_wait(g, &g->units.at[u]))
                return false;
    return true;
}

/* The nodes from `node` on until `join`, or the ends of the kernel, in `in`; false: they cannot be run under masks. */
static bool gather_region(const struct graph *g, u32 node, u32 join, u64 *in, u32 *size)
{
    const struct node *n = part_node(g, node);
    const struct unit *last = &g->units.at[n->end - 1];
    if (node == join || bit_is_set(in, node))
        return true;
    if (node > join || last->kind == UNIT_LEAVE || last->kind == UNIT_BARRIER)
        return false;
    if (last->kind == UNIT_EXIT && join != NO_JOIN)
        return false;
    for (u32 k = n->first; k < n->end; k++)
        if (g->units.at[k].whole)
            return false;
    bit_set(in, node);
    *size += last->end - g->units.at[n->first].first;
    for (u32 s = 0; s < n->nsucc; s++)
        if ((part_succ(g, n, s) <= node && !is_quiet_loop(g, part_succ(g, n, s), node)) ||
            !gather_region(g, part_succ(g, n, s), join, in, size))
            return false;
    return *size <= MOST_MASKED;
}

/* Where the lanes that part at the branch meet, and the nodes until there. */
static bool find_region(struct gen *e, const struct ir_inst *r, u32 *join, u64 *in)
{
    const struct graph *g = e->g;
    const u32 here = g->rank[e->node];
    const struct node *n = part_node(g, here);
    u32 size = 0;
    *join = part_join(g, r);
    if (*join <= here)
        return false;
    for (u32 s = 0; s < n->nsucc; s++)
        if ((part_succ(g, n, s) <= here && !is_quiet_loop(g, part_succ(g, n, s), here)) ||
            !gather_region(g, part_succ(g, n, s), *join, in, &size))
            return false;
    return true;
}

/* Masks are by node: of the lanes that come to it; behind those by node: of the lanes that go back to it. */
static void add_lanes(struct gen *e, llvm_value *masks, u32 from, u32 node, llvm_value lanes)
{
    llvm_value *m = &masks[node <= from ? e->g->nodes.len + node : node];
    *m = *m ? B(Or, *m, lanes) : lanes;
}

/* Counts lanes that go to an end of the kernel where others come by other ways. */
static void count_way(struct gen *e, u32 node, llvm_value lanes)
{
    if (bit_is_set(e->region->shared, node))
        gen_count_entry(e, part_entered(e->g, node), lanes);
}

/* Hands the active lanes of the node on to its successors. */
static void pass_lanes(struct gen *e, u32 node, llvm_value *masks)
{
    const struct graph *g = e->g;
    const struct node *n = part_node(g, node);
    const struct unit *u = &g->units.at[n->end - 1];
    const struct ir_inst *r = &g->code[u->first];
    if (u->kind == UNIT_EXIT)
        return;
    if (u->kind != UNIT_BRANCH || graph_is_jump(g->names[u->first])) {
        count_way(e, part_succ(g, n, 0), e->mask);
        add_lanes(e, masks, node, part_succ(g, n, 0), e->mask);
        return;
    }
    llvm_value p = gen_taken(e, r, graph_is_unless(g->names[u->first]));
    gen_count_part(e, r->site, e->mask, p);
    const u32 target = g->rank[graph_node(g, r->target)], next = g->rank[g->order[node] + 1];
    llvm_value taken = B(And, e->mask, p), others = B(And, e->mask, B(Not, p));
    count_way(e, target, taken);
    count_way(e, next, others);
    add_lanes(e, masks, node, target, taken);
    add_lanes(e, masks, node, next, others);
}

static llvm_value or_none(struct gen *e, llvm_value mask)
{
    return mask ? mask : e->ll->ConstNull(gen_lanes_of(e, e->i1));
}

/* Cells outside the set have no value any more. */
static void forget(struct gen *e, struct value *cells, const u64 *keep)
{
    for (u32 k = 0; k < e->g->cells.len; k++)
        if (!bit_is_set(keep, k))
            cells[k] = (struct value){0};
}

/* What lanes that do not come to the node may still need of what was before: those that have met, and those that are on
 * their way to other nodes already. */
static u64 *needed_by_others(struct gen *e, u32 node, llvm_value *masks)
{
    const struct graph *g = e->g;
    u64 *needed = arena_array(e->mem, u64, g->words);
    memcpy(needed, e->region->behind, sizeof *needed * g->words);
    for (u32 k = 0; k < g->nodes.len; k++)
        for (u32 w = 0; w < g->words && ((k != node && masks[k]) || masks[g->nodes.len + k]); w++)
            needed[w] |= part_node(g, k)->live[w];
    return needed;
}

/* The node under its mask, or past it when no lane comes there. */
static void masked_node(struct gen *e, u32 node, llvm_value *masks)
{
    const struct graph *g = e->g;
    const u32 nmasks = 2 * g->nodes.len;
    llvm_value *before = arena_array(e->mem, llvm_value, nmasks);
    llvm_block run = gen_block(e), skip = gen_block(e), ends[2];
    llvm_value any = B(ICmp, LLVM_NE, B(BitCast, masks[node], e->i32), gen_int(e, e->i32, 0));
    struct value *cells = gen_snapshot(e);
    const u32 outer = e->node;
    e->needed = needed_by_others(e, node, masks);
    forget(e, cells, e->needed);
    gen_branch(e, any, run, skip, 0);
    gen_here(e, run);
    memcpy(before, masks, sizeof *before * nmasks);
    e->mask = masks[node];
    e->node = g->order[node];
    gen_units(e, e->node);
    pass_lanes(e, node, masks);
    e->node = outer;
    forget(e, e->now, e->region->live);
    gen_meet(e, cells, skip, ends);
    for (u32 k = 0; k < nmasks; k++)
        if (masks[k] != before[k])
            masks[k] = gen_phi(e, or_none(e, before[k]), ends[0], masks[k], ends[1]);
    e->mask = NULL;
}

/* ---- loops ---- */

u32 part_loop_end(const struct graph *g, u32 head, const u64 *in)
{
    u32 end = 0;
    for (u32 k = head; k < g->nodes.len; k++)
        for (u32 s = 0; bit_is_set(in, k) && s < part_node(g, k)->nsucc; s++)
            if (part_succ(g, part_node(g, k), s) == head)
                end = k + 1;
    return end;
}

/* What a loop changes, from iteration to iteration: cells, and the masks of nodes behind it. */
struct carried {
    u64 *cells;
    bool *masks;
    llvm_value *cell_phi, *mask_phi;
};

static struct carried find_carried(struct gen *e, u32 head, u32 last, const u64 *in)
{
    const struct graph *g = e->g;
    struct carried c = {arena_array(e->mem, u64, g->words), arena_array(e->mem, bool, g->nodes.len),
                        arena_array(e->mem, llvm_value, g->cells.len), arena_array(e->mem, llvm_value, g->nodes.len)};
    for (u32 k = head; k <= last; k++) {
        const struct node *n = part_node(g, k);
        if (!bit_is_set(in, k))
            continue;
        for (u32 u = n->first; u < n->end; u++)
            for (u32 w = g->units.at[u].writes; w < g->units.at[u].uses_end; w++)
                bit_set(c.cells, g->uses.at[w]);
        for (u32 s = 0; s < n->nsucc; s++)
            c.masks[part_succ(g, n, s)] |= part_succ(g, n, s) > last || part_succ(g, n, s) == head;
    }
    return c;
}

static const struct shape any_lanes = {.kind = SHAPE_VECTOR};

/* The values that come into the loop's head from where we are. mask: of the lanes that come. */
static void bring(struct gen *e, struct carried *c, u32 head, llvm_value mask, llvm_value *masks, llvm_block to)
{
    const struct graph *g = e->g;
    llvm_value *cell = arena_array(e->mem, llvm_value, g->cells.len);
    llvm_block from = e->ll->GetInsertBlock(e->b);
    for (u32 k = 0; k < g->cells.len; k++)
        if (bit_is_set(c->cells, k))
            cell[k] = gen_coerce(e, e->now[k], any_lanes, g->cells.at[k].kind).v;
    const bool first = !c->mask_phi[head];
    e->ll->BuildBr(e->b, to);
    gen_here(e, first ? to : from);
    for (u32 k = 0; k < g->cells.len; k++) {
        if (!bit_is_set(c->cells, k))
            continue;
        if (first)
            c->cell_phi[k] = B(Phi, e->ll->TypeOf(cell[k]));
        e->ll->AddIncoming(c->cell_phi[k], &cell[k], &from, 1);
    }
    for (u32 k = 0; k < g->nodes.len; k++) {
        if (!c->masks[k])
            continue;
        llvm_value m = k == head ? mask : or_none(e, masks[k]);
        if (first)
            c->mask_phi[k] = B(Phi, e->ll->TypeOf(m));
        e->ll->AddIncoming(c->mask_phi[k], &m, &from, 1);
    }
}

/* Takes from the warp's budget. When that is used up the engine looks whether the grid is to go on. */
static void pay(struct gen *e, u32 cost)
{
    e->pays = true;
    llvm_value at = gen_at(e, e->w, offsetof(struct warp, budget));
    llvm_value left = B(Sub, gen_load(e, e->i32, at, 4), gen_int(e, e->i32, cost));
    llvm_block go = gen_block(e), ask = gen_block(e), stop = gen_block(e);
    gen_store(e, left, at, 4);
    gen_branch(e, B(ICmp, LLVM_SGT, left, gen_int(e, e->i32, 0)), go, ask, 1);
    gen_here(e, ask);
    llvm_value ok = B(Call2, e->go_on_type, gen_arg(e, e->ptr, offsetof(struct tier_args, go_on)), &e->w, 1);
    gen_branch(e, B(Trunc, ok, e->i1), go, stop, 1);
    gen_here(e, stop);
    gen_end(e, TIER_FAULT, 0);
    gen_here(e, go);
}

static u32 records_of(const struct graph *g, u32 head, u32 last)
{
    u32 n = 0;
    for (u32 k = head; k <= last; k++)
        n += g->units.at[part_node(g, k)->end - 1].end - g->units.at[part_node(g, k)->first].first;
    return n;
}

static void masked_nodes(struct gen *e, u32 first, u32 end, const u64 *in, llvm_value *masks, u32 inside);

static void masked_loop(struct gen *e, u32 head, u32 last, const u64 *in, llvm_value *masks)
{
    const struct graph *g = e->g;
    struct carried c = find_carried(e, head, last, in);
    llvm_block top = gen_block(e), again = gen_block(e), out = gen_block(e);
    bring(e, &c, head, masks[head], masks, top);
    for (u32 k = 0; k < g->cells.len; k++)
        if (bit_is_set(c.cells, k))
            e->now[k] = gen_of_lanes(c.cell_phi[k]);
    for (u32 k = 0; k < g->nodes.len; k++)
        if (c.masks[k])
            masks[k] = c.mask_phi[k];
    masked_nodes(e, head, last + 1, in, masks, head);
    llvm_value next = or_none(e, masks[g->nodes.len + head]);
    masks[g->nodes.len + head] = NULL;
    pay(e, records_of(g, head, last));
    gen_branch(e, B(ICmp, LLVM_NE, B(BitCast, next, e->i32), gen_int(e, e->i32, 0)), again, out, 0);
    gen_here(e, again);
    bring(e, &c, head, next, masks, top);
    gen_here(e, out);
    for (u32 k = head; k <= last; k++)
        masks[k] = NULL;
}

/* The nodes [first, end) in order. inside: the head of the loop that they are the nodes of. */
static void masked_nodes(struct gen *e, u32 first, u32 end, const u64 *in, llvm_value *masks, u32 inside)
{
    const struct graph *g = e->g;
    for (u32 k = first; k < g->nodes.len && k < end; k++) {
        if (!bit_is_set(in, k) || !masks[k])
            continue;
        const u32 loop_end = k == inside ? 0 : part_loop_end(g, k, in);
        if (loop_end) {
            masked_loop(e, k, loop_end - 1, in, masks);
            k = loop_end - 1;
        } else {
            masked_node(e, k, masks);
            if (k != inside)
                masks[k] = NULL;
        }
    }
}

/* ---- */

/* The nodes behind the branch. Where it stands in loops that are of the region, the rest of the iteration comes first, then
 * the loop for those lanes that stay in it; the innermost loop first. */
static void rest_of_loops(struct gen *e, u32 join, const u64 *in, llvm_value *masks)
{
    const u32 here = e->g->rank[e->node];
    u32 from = here + 1;
    for (u32 head = here + 1; head-- > 0;) {
        const u32 end = bit_is_set(in, head) ? part_loop_end(e->g, head, in) : 0;
        if (end <= here)
            continue;
        if (end > from)
            masked_nodes(e, from, end, in, masks, NO_JOIN);
        masks[head] = or_none(e, masks[e->g->nodes.len + head]);
        masks[e->g->nodes.len + head] = NULL;
        masked_loop(e, head, end - 1, in, masks);
        from = end > from ? end : from;
    }
    masked_nodes(e, from, join, in, masks, NO_JOIN);
}

static struct region live_in_region(struct gen *e, u32 join, const u64 *in)
{
    const struct graph *g = e->g;
    struct region r = {arena_array(e->mem, u64, g->words), arena_array(e->mem, u64, g->words),
                       arena_array(e->mem, u64, (g->nodes.len + 63) / 64)};
    for (u32 k = 0; k < g->nodes.len; k++)
        for (u32 w = 0; w < g->words && (k == join || bit_is_set(in, k)); w++) {
            r.live[w] |= part_node(g, k)->live[w];
            r.behind[w] |= k == join ? part_node(g, k)->live[w] : 0;
        }
    return r;
}

void gen_part(struct gen *e, const struct ir_inst *r, llvm_value taken)
{
    const struct graph *g = e->g;
    const u32 here = g->rank[e->node];
    const u32 fetched = e->fetched.len;
    u64 *in = arena_array(e->mem, u64, (g->nodes.len + 63) / 64);
    u32 join;
    if (!find_region(e, r, &join, in)) {
        gen_leave(e);
        return;
    }
    struct region region = live_in_region(e, join, in);
    e->region = &region;
    if (g->mode == IR_TRACED && !part_counts(e, here, in, region.shared)) {
        gen_leave(e);
        return;
    }
    gen_count_part(e, r->site, NULL, taken);
    llvm_value *masks = arena_array(e->mem, llvm_value, 2 * g->nodes.len);
    const u32 target = g->rank[graph_node(g, r->target)], next = g->rank[e->node + 1];
    add_lanes(e, masks, here, target, taken);
    add_lanes(e, masks, here, next, B(Not, taken));
    rest_of_loops(e, join, in, masks);
    e->fetched.len = fetched;    /* whole warps do not come this way */
    count_way(e, target, taken); /* those that wait there run last */
    count_way(e, next, B(Not, taken));
    if (join == NO_JOIN)
        gen_end(e, TIER_DONE, 0);
    else
        gen_goto(e, g->order[join]);
}
