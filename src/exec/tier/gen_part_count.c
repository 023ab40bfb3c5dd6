/* gen_part_count.c - whether lanes that part can be counted in compiled code.
 *
 * The interpreter runs each set of lanes that parted on its own until its lanes meet again at the branch's join; where two
 * sets come to one block before that, it enters the block twice. Code under masks runs a node once for all lanes. Both are
 * the same where the sides of every branch have no node in common in front of its join. An end of the kernel they may have
 * in common: there each way that leads to it is counted. */
#include <string.h>

#include "exec/tier/gen_part.h"

static u64 *new_set(struct gen *e) { return arena_array(e->mem, u64, (e->g->nodes.len + 63) / 64); }

/* The branch that ends the node, or NULL. */
static const struct ir_inst *branch_of(const struct graph *g, u32 place)
{
    const struct unit *u = &g->units.at[part_node(g, place)->end - 1];
    return u->kind == UNIT_BRANCH && !graph_is_jump(g->names[u->first]) ? &g->code[u->first] : NULL;
}

/* Adds the nodes of the region that control gets to from `place`, without passing `stop`. */
static void reach(const struct graph *g, u32 place, u32 stop, const u64 *in, u64 *set)
{
    if (place == stop || !bit_is_set(in, place) || bit_is_set(set, place))
        return;
    bit_set(set, place);
    const struct node *n = part_node(g, place);
    for (u32 s = 0; s < n->nsucc; s++)
        reach(g, part_succ(g, n, s), stop, in, set);
}

static bool only_ends(const struct graph *g, u32 place)
{
    const struct node *n = part_node(g, place);
    for (u32 u = n->first; u + 1 < n->end; u++)
        for (u32 k = g->units.at[u].first; k < g->units.at[u].end; k++)
            if (g->units.at[u].kind != UNIT_OPS || g->ops[k])
                return false;
    return g->units.at[n->end - 1].kind == UNIT_EXIT;
}

u32 part_entered(const struct graph *g, u32 place)
{
    u32 k = g->units.at[part_node(g, place)->first].first;
    while (!graph_is_enter(g->names[k]))
        k++;
    return (u32)g->code[k].imm;
}

/* What the sides of the branch have in common; false: more than ends. */
static bool find_common(struct gen *e, u32 place, const u64 *in, u64 *shared)
{
    const struct graph *g = e->g;
    const struct node *n = part_node(g, place);
    const u32 join = part_join(g, branch_of(g, place));
    u64 *side[] = {new_set(e), new_set(e)};
    for (u32 s = 0; s < 2; s++)
        reach(g, part_succ(g, n, s), join, in, side[s]);
    for (u32 k = 0; k < g->nodes.len; k++) {
        if (!bit_is_set(side[0], k) || !bit_is_set(side[1], k))
            continue;
        if (!only_ends(g, k))
            return false;
        bit_set(shared, k);
    }
    return true;
}

/* ---- loops ---- */

static bool has_loop(const struct graph *g, const u64 *in)
{
    for (u32 k = 0; k < g->nodes.len; k++)
        if (bit_is_set(in, k) && part_loop_end(g, k, in))
            return true;
    return false;
}

/* Polls make the engine let go of lanes that wait at a join, if the warp has used its budget by then. */
static bool polls(const struct graph *g, const struct node *n)
{
    for (u32 k = g->units.at[n->first].first; k < g->units.at[n->end - 1].end; k++)
        if (strncmp(g->names[k], "atom", 4) == 0 || strncmp(g->names[k], "red", 3) == 0 ||
            strncmp(g->names[k], "nanosleep", 9) == 0 ||
            (g->code[k].aux & IR_VOLATILE &&
             (strncmp(g->names[k], "ld_", 3) == 0 || strncmp(g->names[k], "st_", 3) == 0)))
            return true;
    return false;
}

static bool may_have_polled(struct gen *e, const u64 *in)
{
    const struct graph *g = e->g;
    u64 *all = new_set(e), *polled = new_set(e);
    memset(all, 0xff, sizeof *all * ((g->nodes.len + 63) / 64));
    for (u32 k = 0; k < g->nodes.len; k++)
        if (polls(g, part_node(g, k)))
            reach(g, k, NO_JOIN, all, polled);
    for (u32 k = 0; k < g->nodes.len; k++)
        if (bit_is_set(polled, k) && bit_is_set(in, k))
            return true;
    return false;
}

/* ---- in which order ---- */

/* No set of lanes ever waits for another's turn. */
static bool one_side_waits(const struct graph *g, u32 place)
{
    const u32 join = part_join(g, branch_of(g, place));
    return part_succ(g, part_node(g, place), 0) == join || part_succ(g, part_node(g, place), 1) == join;
}

/* Whether code comes to the blocks in the interpreter's order, which takes turns with what comes first in the program, and
 * when a budget is used up in a loop. */
static bool in_order(const struct graph *g, u32 here, const u64 *in, const u64 *shared)
{
    const bool loops = has_loop(g, in);
    u32 before = 0, ways = 0;
    for (u32 k = 0; k < g->nodes.len; k++) {
        if (!bit_is_set(in, k) && k != here)
            continue;
        if (loops && branch_of(g, k) && !one_side_waits(g, k))
            return false;
        if (!bit_is_set(in, k))
            continue;
        if (g->order[k] < before)
            return false;
        before = g->order[k];
        for (u32 s = 0; s < part_node(g, k)->nsucc; s++)
            ways += bit_is_set(shared, part_succ(g, part_node(g, k), s));
    }
    return ways <= 1;
}

bool part_counts(struct gen *e, u32 here, const u64 *in, u64 *shared)
{
    const struct graph *g = e->g;
    for (u32 k = 0; k < g->nodes.len; k++)
        if ((k == here || bit_is_set(in, k)) && branch_of(g, k) && !find_common(e, k, in, shared))
            return false;
    if (has_loop(g, in) && may_have_polled(e, in))
        return false;
    if (!in_order(g, here, in, shared))
        gen_leave_unless(e, gen_counts_blocks(e));
    return true;
}
