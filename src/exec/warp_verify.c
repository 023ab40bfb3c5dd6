/* warp_verify.c - the invariants of a warp's splits and groups (warp.c), as code. Debug builds ask after every step that
 * splits, parks or merges lanes, and between two splits' turns. */
#include "exec/sched.h"

static const char *verify_split(const struct warp *w, const struct split *s, u32 elsewhere)
{
    const struct group *g = s->group;
    if (!s->mask)
        return "a split has no lanes";
    if (s->mask & w->exited)
        return "a split has lanes that have exited";
    if (s->mask & elsewhere)
        return "two splits have the same lane";
    if (!s->frame || !s->pc || s->mask & ~s->frame->lanes)
        return "a split has lanes that are not in its frame";
    if (g && s->mask & ~g->expected)
        return "a split's group does not expect its lanes";
    if (g && s->mask & g->arrived)
        return "a split has lanes that have arrived in its group";
    return NULL;
}

static const char *verify_splits(const struct warp *w, u32 *lanes)
{
    u32 ready = 0, blocked = 0;
    for (u32 k = 0; k < w->nsplits; k++) {
        const struct split *s = &w->splits[k];
        if (s->state == SPLIT_NONE)
            continue;
        const char *broken = verify_split(w, s, *lanes);
        if (broken)
            return broken;
        *lanes |= s->mask;
        ready += s->state == SPLIT_READY || s->state == SPLIT_SPENT;
        blocked += s->state == SPLIT_SYNC || s->state == SPLIT_BARRIER;
    }
    return ready != w->ready       ? "the count of splits that can run is wrong"
           : blocked != w->blocked ? "the count of splits that wait is wrong"
                                   : NULL;
}

static const char *verify_group(const struct group *g, u32 elsewhere)
{
    const struct group *p = g->parent;
    if (*g->self != g || (g->next && g->next->self != &g->next))
        return "the list of groups is broken";
    if (!g->expected)
        return "a group expects no lanes";
    if (g->arrived & ~g->expected)
        return "lanes have arrived in a group that does not expect them";
    if (g->arrived == g->expected)
        return "a group is complete and still open";
    if (g->arrived & elsewhere)
        return "a lane has arrived in a group and is elsewhere too";
    if (p && g->expected & ~p->expected)
        return "a group expects lanes that its parent does not expect";
    if (p && g->expected & p->arrived)
        return "a group expects lanes that have arrived in its parent";
    return NULL;
}

const char *warp_verify(const struct warp *w)
{
    u32 lanes = 0;
    const char *broken = verify_splits(w, &lanes);
    for (const struct group *g = w->groups; g && !broken; g = g->next) {
        broken = verify_group(g, lanes | w->exited);
        lanes |= g->arrived;
    }
    if (broken)
        return broken;
    return (lanes | w->exited) == FULL_MASK ? NULL : "a lane is in no split and no group and has not exited";
}
