/* differ.c - see differ.h.
 *
 * The pace of a warp (struct dispatch_pace) is read off the replay: the longest and the shortest block are run alone, and what the
 * blocks of the SM took is laid over what was beside them, by least squares. All SMs are then gone through at that pace, and so is
 * the one that was replayed, which says by how much the pace is wrong. */
#include "model/replay/differ.h"

/* What the blocks of the SM cost that has most to do, where all blocks are there at once: it is known which those are. */
static double busiest(struct arena *mem, const struct replay_launch *l, const struct plan *p)
{
    double *cost = arena_array(mem, double, p->active), most = 0;
    for (u64 b = 0; b < l->nblocks; b++)
        cost[b % p->active] += replay_size_cost(&l->sizes[b], l->warps);
    for (u32 k = 0; k < p->active; k++)
        most = fmax(most, cost[k]);
    return most;
}

bool differ(const struct replay_launch *l, const struct plan *p, const struct sm_run *run)
{
    if (!l->sizes || run->cycles <= 0 || 2.0 * run->ran < p->blocks)
        return false;
    double cost = 0, longest = 0, most_cost = 0, most_longest = 0;
    for (u64 b = 0; b < l->nblocks; b++) {
        const double one = replay_size_cost(&l->sizes[b], l->warps);
        cost += one;
        longest += l->sizes[b].longest;
        most_cost = fmax(most_cost, one);
        most_longest = fmax(most_longest, l->sizes[b].longest);
    }
    const double n = 100.0 * (double)l->nblocks / LONG_PERCENT;
    return most_cost * n > cost || most_longest * n > longest;
}

/* Cycles that block k takes alone on the SM, while so many SMs ask for memory. */
static double alone_cycles(struct arena *mem, const struct replay_launch *l, const struct machine *m, u32 active, u32 k)
{
    const struct plan one = {.active = active, .blocks = 1, .list = &k, .n = 1};
    struct sm_run run;
    plan_run(mem, l, m, &one, false, &run);
    return run.cycles * recorded(l, k)->rest;
}

static u32 shortest(const struct replay_launch *l)
{
    u32 best = 0;
    for (u32 k = 1; k < l->nrecorded; k++)
        best = recorded(l, k)->longest < recorded(l, best)->longest ? k : best;
    return best;
}

static double instructions(const struct replay_launch *l, u32 k) { return fmax(recorded(l, k)->longest, 1); }

/* A block's warps while it is there, on average. */
static double warps_of(const struct replay_launch *l, u32 k)
{
    return fmax(recorded(l, k)->cost, 1) / instructions(l, k);
}

/* SMs that work when most have ended: those with blocks at least half as long as the longest. */
static u32 last_to_work(const struct replay_launch *l, const struct plan *p)
{
    float most = 0;
    u64 n = 0;
    for (u64 b = 0; b < l->nblocks; b++)
        most = fmaxf(most, l->sizes[b].longest);
    for (u64 b = 0; b < l->nblocks; b++)
        n += l->sizes[b].longest * 2 >= most;
    return n < p->active ? (u32)n : p->active;
}

/* Without others: a line through the shortest and the longest block, if they are far enough from each other. */
static void set_alone(struct dispatch_pace *pace, struct arena *mem, const struct replay_launch *l,
                      const struct machine *m, const struct plan *p)
{
    enum { FAR = 2 };
    const u32 most = plan_longest(l), least = shortest(l), active = last_to_work(l, p);
    const double n = instructions(l, most), cycles = alone_cycles(mem, l, m, active, most),
                 few = instructions(l, least);
    pace->alone = cycles / n;
    pace->alone_warps = warps_of(l, most);
    if (n < FAR * few)
        return;
    const double begin = alone_cycles(mem, l, m, active, least), each = (cycles - begin) / (n - few);
    if (each > 0 && begin > each * few) {
        pace->alone = each;
        pace->first = (begin - each * few) / each;
    }
}

/* Warps of the SM while block k of the list was there, on average. */
static double warps_beside(const struct replay_launch *l, const struct plan *p, const struct sm_run *run, u32 k)
{
    double sum = 0;
    for (u32 o = 0; o < run->ran; o++)
        sum +=
            warps_of(l, p->list[o]) * fmax(0, fmin(run->ended[o], run->ended[k]) - fmax(run->begun[o], run->begun[k]));
    return run->ended[k] > run->begun[k] ? sum / (run->ended[k] - run->begun[k]) : 0;
}

/* Warps of a block do not end together: how much of the time that blocks are there their warps have places. */
static double held_share(const struct replay_launch *l, const struct plan *p, const struct sm_run *run)
{
    double all = 0;
    for (u32 k = 0; k < run->ran; k++)
        all += warps_of(l, p->list[k]) * (run->ended[k] - run->begun[k]);
    return all > 0 ? fmin(1, run->present / all) : 1;
}

/* How many cycles an instruction takes more for each warp that is there: of all blocks that were replayed, by least squares. */
static double more_of(const struct dispatch_pace *pace, const struct replay_launch *l, const struct plan *p,
                      const struct sm_run *run)
{
    const double held = held_share(l, p, run);
    double xy = 0, xx = 0;
    for (u32 k = 0; k < run->ran; k++) {
        const double n = instructions(l, p->list[k]) + pace->first;
        const double x = warps_beside(l, p, run, k) * held - pace->alone_warps;
        const double cycles = (run->ended[k] - run->begun[k]) * recorded(l, p->list[k])->rest * held;
        xy += x * (cycles / n - pace->alone);
        xx += x * x;
    }
    return xx > 0 ? fmax(0, xy / xx) : 0;
}

static struct dispatch_pace pace_of(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                    const struct plan *p, const struct sm_run *run)
{
    struct dispatch_pace pace = {0};
    set_alone(&pace, mem, l, m, p);
    pace.more = more_of(&pace, l, p, run);
    pace.busy = run->sm_used / fmax(1, run->ran * (plan_mean(l, p, run->ran, false) + l->warps * pace.first));
    return pace;
}

/* The replayed SM ends with a block that is much longer than its others, which says nothing about these. */
static bool ends_with_long(const struct replay_launch *l, const struct plan *p, u32 ran)
{
    enum { MUCH_LONGER = 2 };
    double most = 0;
    for (u32 k = 0; k < ran; k++)
        most = fmax(most, recorded(l, p->list[k])->longest);
    return most > MUCH_LONGER * plan_mean_longest(l, p);
}

/* What a block takes besides its instructions is what makes the replayed blocks end when they did; where they are slower without, it is nothing. Returns
 * when they end then. */
static struct dispatched fit_first(struct arena *mem, const struct replay_launch *l, const struct replay_size *ran,
                                   u32 n, double cycles, struct dispatch_pace *pace)
{
    enum { STEPS = 16 };
    double least = 0, most = cycles / pace->alone;
    pace->first = 0;
    struct dispatched one = dispatch(mem, l, ran, n, 1, pace);
    for (u32 k = 0; k < STEPS && fabs(one.last / cycles - 1) > 0.002 && most > 0; k++) {
        if (one.last > cycles)
            most = pace->first;
        else
            least = pace->first;
        pace->first = (least + most) / 2;
        one = dispatch(mem, l, ran, n, 1, pace);
    }
    return one;
}

struct dispatched differ_all_sms(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                 const struct plan *p, const struct sm_run *run)
{
    struct dispatch_pace pace = pace_of(mem, l, m, p, run);
    struct replay_size *ran = arena_array(mem, struct replay_size, run->ran + 1);
    for (u32 k = 0; k < run->ran; k++)
        ran[k] = l->sizes[recorded(l, p->list[k])->linear];
    const double rest = plan_mean(l, p, run->ran, true);
    const struct dispatched one = ends_with_long(l, p, run->ran)
                                      ? dispatch(mem, l, ran, run->ran, 1, &pace)
                                      : fit_first(mem, l, ran, run->ran, run->cycles * rest, &pace);
    struct dispatched all = dispatch(mem, l, l->sizes, l->nblocks, p->active, &pace);
    const double as = one.last > 0 ? run->cycles * rest / one.last : 1;
    all.last *= as;
    if (run->ran >= p->blocks && l->nblocks <= (u64)p->active * l->resident) {
        const struct among a = plan_among(mem, l, m, p, true);
        all.last =
            fmax(all.last, fmax(plan_long_end(&a, true, 0), plan_busy(l, p, run, run->cycles, busiest(mem, l, p))));
    }
    all.mean *= as;
    all.warps *= one.warps > 0 ? run->present / run->cycles / one.warps : 1;
    return all;
}
