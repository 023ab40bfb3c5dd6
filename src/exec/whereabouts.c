/* whereabouts.c - where a lane is that is not running: for the checks, which name the threads that others wait for. */
#include "exec/sched.h"

static void fill(struct exec_place *out, const struct frame *f, const struct ir_inst *pc, bool waits)
{
    *out = (struct exec_place){.func = f->func->ir, .site = pc->site, .waits = waits, .outermost = !f->caller};
}

bool exec_lane_at(const struct exec_block_info *info, u32 warp, unsigned lane, struct exec_place *out)
{
    _Static_assert(offsetof(struct block, info) == 0, "a block begins with its info");
    const struct block *b = (const struct block *)(const void *)info;
    const struct warp *w = &b->warps[warp];
    const u32 bit = 1u << lane;
    for (u32 k = 0; k < w->nsplits; k++) {
        const struct split *s = &w->splits[k];
        if (s->state == SPLIT_NONE || !(s->mask & bit))
            continue;
        fill(out, s->frame, s->pc, s->state == SPLIT_SYNC || s->state == SPLIT_BARRIER);
        return s != w->split || s->state != SPLIT_READY;
    }
    for (const struct group *g = w->groups; g; g = g->next)
        if (g->arrived & bit) {
            fill(out, g->frame, g->pc, false);
            return true;
        }
    return false;
}
