/* node_atomic.c - what ptxas puts around accesses that order others, and around atomics that one lane does for its warp, as its code for sm_90
 * has it:
 *
 *     MEMBAR, ERRBAR, ERRBAR                        before what releases for a cluster or wider; a fence
 *     CCTL.IVALL                                    behind what acquires so, when its result is there; and behind a fence
 *     S2R, VOTE, FLO, POPC, ISETP                   in front of an atomic that one lane does: which one, and for how many
 *     S2R, LOP3, POPC; SHFL, IMAD                   behind it, if its result is used: the lane's own share is added to it */
#include "meter/code/estimate/build.h"

/* CCTL.IVALL, when that is there. */
static void empty_l1(struct build *b, u32 site, const struct value *needs)
{
    const struct value empty = build_order(b, site, REPLAY_PLAIN, PIPE_LSU, needs);
    b->g->nodes.at[empty.source[0]].inst.empties_l1 = true;
}

struct value build_fence(struct build *b, u32 site, const struct value *needs, bool empties_l1)
{
    const struct value v = build_order(b, site, REPLAY_FENCE, PIPE_LSU, needs);
    b->g->nodes.at[v.source[0]].least = BARRIER_STALL;
    const struct value none = {0};
    for (u32 k = 0; k < 2; k++) {
        const struct value bar = build_order(b, site, REPLAY_PLAIN, PIPE_ADU, &none);
        b->g->nodes.at[bar.source[0]].least = k ? BARRIER_STALL : 1;
    }
    if (empties_l1)
        empty_l1(b, site, &none);
    return v;
}

/* A way of its own: the letters one after the other. */
static struct value chain(struct build *b, u32 site, const char *letters)
{
    struct value v = {0};
    for (const char *p = letters; *p; p++) {
        const u32 node = build_unit(b, *p, site);
        build_use(b, &v, node);
        v = build_result(b, node);
    }
    return v;
}

/* Which lane it is, and for how many. */
static struct value choose_lane(struct build *b, u32 site)
{
    struct value v = chain(b, site, "uu");
    const struct value lane = chain(b, site, "s"), many = chain(b, site, "u");
    value_merge(b, &v, &lane);
    const u32 question = build_unit(b, 'p', site);
    build_use(b, &v, question);
    struct value all = build_result(b, question);
    value_merge(b, &all, &many);
    return all;
}

/* The lane's own share, added to what the chosen lane got. */
static struct value share_result(struct build *b, u32 site, const struct value *result)
{
    struct value own = chain(b, site, "sac");
    const u32 shuffle = build_unit(b, 'l', site);
    build_use(b, result, shuffle);
    value_add(b, &own, shuffle);
    const u32 sum = build_unit(b, 'h', site);
    build_use(b, &own, sum);
    return build_result(b, sum);
}

struct value build_around(struct build *b, u32 site, const struct value *needs, const struct touched *t,
                          struct value (*access)(struct build *b, u32 site, const struct value *needs,
                                                 const struct touched *t))
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const struct site_estimate *e = &b->e->sites[site];
    struct value all = *needs;
    if (e->elected) {
        const struct value chosen = choose_lane(b, site);
        value_merge(b, &all, &chosen);
    }
    if (estimate_releases(i)) {
        const struct value none = {0};
        build_fence(b, site, &none, false);
    }
    const struct value v = access(b, site, &all, t);
    b->g->nodes.at[v.source[0]].inst.elected = e->elected;
    if (estimate_acquires(i))
        empty_l1(b, site, &v);
    return e->elected && !e->unused ? share_result(b, site, &v) : v;
}
