/* plan.c - see plan.h. */
#include "model/replay/plan.h"

#include <string.h>

/* The number of the recorded block at a place in the grid; nrecorded: it was not. They are in the order of their places. */
static u32 find(const struct replay_launch *l, u64 linear)
{
    u32 low = 0, high = l->nrecorded;
    while (low < high) {
        const u32 mid = (low + high) / 2;
        if (recorded(l, mid)->linear < linear)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->nrecorded && recorded(l, low)->linear == linear ? low : l->nrecorded;
}

struct plan plan_make(struct arena *mem, const struct replay_launch *l)
{
    const u32 sms = l->gpu->sms ? l->gpu->sms : 1;
    struct plan p = {.active = l->nblocks < sms ? (u32)l->nblocks : sms};
    const u64 most = (l->nblocks + sms - 1) / sms;
    p.blocks = most > 4ull * l->resident ? (double)l->nblocks / sms : (double)most;
    p.list = arena_array(mem, u32, l->nrecorded + 1);
    for (u64 k = 0; k < most; k++) {
        const u32 at = find(l, k * sms);
        if (at < l->nrecorded)
            p.list[p.n++] = at;
    }
    return p;
}

void plan_run(struct arena *mem, const struct replay_launch *l, const struct machine *m, const struct plan *p,
              bool counts, struct sm_run *run)
{
    for (u32 b = 0; b < l->nrecorded; b++)
        for (u32 f = 0; f < l->blocks[b].nfuncs; f++)
            prepared_forget(l->blocks[b].funcs[f]->prepared);
    *run = (struct sm_run){
        .blocks = p->list, .n = p->n, .active = p->active, .until = (double)l->budget, .counts = counts};
    run->begun = arena_array(mem, double, p->n + 1);
    run->ended = arena_array(mem, double, p->n + 1);
    sm_run_blocks(mem, l, m, run);
}

double plan_mean(const struct replay_launch *l, const struct plan *p, u32 n, bool rest)
{
    double sum = 0;
    for (u32 k = 0; k < n; k++)
        sum += rest ? recorded(l, p->list[k])->rest : recorded(l, p->list[k])->cost;
    return n ? sum / n : 1;
}

u32 plan_longest(const struct replay_launch *l)
{
    u32 best = 0;
    for (u32 k = 1; k < l->nrecorded; k++)
        if (recorded(l, k)->longest > recorded(l, best)->longest)
            best = k;
    return best;
}

double plan_mean_longest(const struct replay_launch *l, const struct plan *p)
{
    double sum = 0;
    for (u32 k = 0; k < p->n; k++)
        sum += recorded(l, p->list[k])->longest;
    return p->n ? sum / p->n : 0;
}

/* The SM's list with block k in the place of another. */
static struct plan with_block(struct arena *mem, const struct plan *p, u32 n, u32 place, u32 k)
{
    struct plan with = *p;
    with.n = n;
    with.list = arena_array(mem, u32, n + 1);
    memcpy(with.list, p->list, sizeof *with.list * n);
    with.list[place] = k;
    return with;
}

/* Where all of the SM's blocks are replayed, it stands in its place among them; else where the SM was filled before. */
struct among plan_among(struct arena *mem, const struct replay_launch *l, const struct machine *m, const struct plan *p,
                        bool all)
{
    const u32 k = plan_longest(l);
    struct among a = {.part = (double)recorded(l, k)->linear / (double)l->nblocks};
    a.longer = p->n && recorded(l, k)->longest * 100 > plan_mean_longest(l, p) * LONG_PERCENT;
    if (!a.longer)
        return a;
    const u32 n = all || p->n < 2 * l->resident ? p->n : 2 * l->resident;
    const u32 place = all ? (u32)(a.part * n) : n / 2;
    const struct plan with = with_block(mem, p, n, place, k);
    struct sm_run run;
    plan_run(mem, l, m, &with, false, &run);
    a.cycles = (run.ended[place] - run.begun[place]) * recorded(l, k)->rest;
    a.sm_cycles = run.cycles * recorded(l, k)->rest;
    return a;
}

double plan_long_end(const struct among *a, bool all, double typical_cycles)
{
    return !a->longer ? 0 : all ? a->sm_cycles : a->part * typical_cycles + a->cycles;
}

double plan_share(const struct sm_run *run, const u8 *reasons, u32 n)
{
    double all = 0, of = 0;
    for (u32 k = 0; k < STALL_COUNT; k++)
        all += run->stalls[k];
    for (u32 k = 0; k < n; k++)
        of += run->stalls[reasons[k]];
    return all > 0 ? of / all : 0;
}

/* Of what warps waited for, how much the SM's other warps have made: they were ahead, in memory's queues, in the pipes or at the
 * scheduler. The rest takes as long for a warp alone. */
double plan_crowded(const struct sm_run *run)
{
    static const u8 crowded[] = {STALL_LONG_SCOREBOARD, STALL_LG_THROTTLE,   STALL_MIO_THROTTLE,
                                 STALL_TEX_THROTTLE,    STALL_DRAIN,         STALL_MATH_PIPE_THROTTLE,
                                 STALL_NOT_SELECTED,    STALL_DISPATCH_STALL};
    return plan_share(run, crowded, LS_ARRAY_LEN(crowded));
}

/* How long an SM works whose blocks cost so much, where all of this one's are replayed, which takes `cycles`: what warps wait for each
 * other grows with what there is to do. */
double plan_busy(const struct replay_launch *l, const struct plan *p, const struct sm_run *run, double cycles,
                 double cost)
{
    const double own = plan_mean(l, p, p->n, false) * p->n;
    return own > 0 ? cycles * (1 + (cost / own - 1) * plan_crowded(run)) : cycles;
}
