/* launch.c - from the blocks that one SM ran to the time of the launch (replay.h).
 *
 * SM 0 runs the blocks that come to it, the first of every `sms`, or those of them that were recorded (replay_takes). If they are
 * more than the budget, the rest goes on at the rate at which blocks began after the SM was filled, scaled by the mean cost of all
 * blocks over the mean of those replayed.
 *
 * Where blocks differ, all SMs are gone through with what each block costs (dispatch.h). The longest block is looked at on its own, too: an SM replays
 * it among typical ones; the launch ends no earlier than it does. */
#include "model/replay/dispatch.h"
#include "model/replay/sm_run.h"

#include <string.h>

enum { LONG_PERCENT = 103 }; /* of the mean: a block that is looked at on its own */

/* Of the time of the SM that ends last, how much less others work where all wait for memory (tests/hw/sm_ends.cu): where all blocks are
 * there at once, and where an SM that is ahead has more of them. */
#define LESS_AT_ONCE 0.06
#define LESS_IN_TURN 0.03

static const struct replay_block_stream *recorded(const struct replay_launch *l, u32 number)
{
    return &l->blocks[number];
}

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

struct plan {
    u32 active;    /* SMs that work */
    double blocks; /* of an SM, all waves */
    u32 *list;     /* those that are replayed at most */
    u32 n;
};

static struct plan make_plan(struct arena *mem, const struct replay_launch *l)
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

static void run_list(struct arena *mem, const struct replay_launch *l, const struct machine *m, const struct plan *p,
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

/* How long locks are held, where nobody waits for them longer than for a swap. */
static double hold_of(struct arena *mem, const struct replay_launch *l, const struct machine *m, const struct plan *p)
{
    struct sm_run run;
    run_list(mem, l, m, p, false, &run);
    return run.hold;
}

static double mean_of(const struct replay_launch *l, const struct plan *p, u32 n, bool rest)
{
    double sum = 0;
    for (u32 k = 0; k < n; k++)
        sum += rest ? recorded(l, p->list[k])->rest : recorded(l, p->list[k])->cost;
    return n ? sum / n : 1;
}

/* What all blocks cost by what those cost that were replayed. Blocks that were all there at once have their own time. */
static double scale_of(const struct replay_launch *l, const struct plan *p, u32 ran)
{
    const double mean = mean_of(l, p, ran, false);
    return mean > 0 && p->blocks > l->resident ? l->cost / (double)l->nblocks / mean : 1;
}

/* Warps that are there while blocks begin where others have ended. */
static double steady_warps(const struct sm_run *run)
{
    const double from = run->filled, to = run->ran ? run->begun[run->ran - 1] : 0;
    double all = 0, between = 0;
    for (u32 k = 0; k < run->ran; k++) {
        all += run->ended[k] - run->begun[k];
        between += fmax(0, fmin(to, run->ended[k]) - fmax(from, run->begun[k]));
    }
    return to > from && all > 0 ? run->present * between / all / (to - from) : run->present / run->cycles;
}

/* The blocks that were not replayed: how long they take, and warps x cycles. */
struct left {
    double cycles, present;
};

/* Where the budget ended with the blocks that the SM holds at once: they come so often again, and what does not fill it is replayed
 * by itself. A block that has the SM for itself is faster, but not as many times as it has fewer beside it. */
static struct left left_in_waves(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                 const struct plan *p, const struct sm_run *run)
{
    const u32 blocks = (u32)p->blocks - run->ran, waves = blocks / l->resident;
    struct left left = {waves * run->cycles, waves * run->present};
    struct plan last = *p;
    last.n = blocks % l->resident;
    if (last.n) {
        struct sm_run end;
        run_list(mem, l, m, &last, false, &end);
        left.cycles += end.cycles;
        left.present += end.present;
    }
    return left;
}

/* Else at the rate at which blocks began after the SM was filled. */
static struct left left_of(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                           const struct plan *p, const struct sm_run *run)
{
    const double blocks = p->blocks - run->ran;
    if (blocks <= 0 || run->ran < 1)
        return (struct left){0};
    if (run->ran == l->resident && p->blocks <= 4.0 * l->resident)
        return left_in_waves(mem, l, m, p, run);
    const double last = run->begun[run->ran - 1];
    const double each = run->ran > l->resident && last > run->filled ? (last - run->filled) / (run->ran - l->resident)
                                                                     : run->cycles / run->ran;
    return (struct left){blocks * each, blocks * each * steady_warps(run)};
}

/* On average while the launch runs, its end too, where no blocks begin. */
static double mean_warps(const struct sm_run *run, struct left left)
{
    return run->cycles > 0 ? (run->present + left.present) / (run->cycles + left.cycles) : 0;
}

/* Of what warps wait for, the share of some reasons. */
static double share_of(const struct sm_run *run, const u8 *reasons, u32 n)
{
    double all = 0, of = 0;
    for (u32 k = 0; k < STALL_COUNT; k++)
        all += run->stalls[k];
    for (u32 k = 0; k < n; k++)
        of += run->stalls[reasons[k]];
    return all > 0 ? of / all : 0;
}

/* Where blocks begin as others end, an SM has somewhat fewer warps than the replay: memory does not answer all of a block's warps alike, and its
 * last one holds the block's place. Fitted on the corpus's half for that: 4 % where all wait for memory, from four waves on. */
static double kept_places(const struct replay_launch *l, const struct plan *p, const struct sm_run *run)
{
    static const u8 memory[] = {STALL_LONG_SCOREBOARD, STALL_LG_THROTTLE};
    const double uneven = 0.04, waves = p->blocks / (double)l->resident;
    return 1 - uneven * share_of(run, memory, LS_ARRAY_LEN(memory)) * fmin(1, fmax(0, (waves - 3) / 2));
}

/* The recorded block that has the longest warp. */
static u32 longest(const struct replay_launch *l)
{
    u32 best = 0;
    for (u32 k = 1; k < l->nrecorded; k++)
        if (recorded(l, k)->longest > recorded(l, best)->longest)
            best = k;
    return best;
}

static double mean_longest(const struct replay_launch *l, const struct plan *p)
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

/* The block with the longest warp among others, if that is longer than theirs. */
struct among {
    bool longer;
    double part;      /* of the launch's blocks, those before it */
    double cycles;    /* from its begin to its end */
    double sm_cycles; /* until the SM ends */
};

/* Where all of the SM's blocks are replayed, it stands in its place among them; else where the SM was filled before. */
static struct among longest_among(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                  const struct plan *p, bool all)
{
    const u32 k = longest(l);
    struct among a = {.part = (double)recorded(l, k)->linear / (double)l->nblocks};
    a.longer = p->n && recorded(l, k)->longest * 100 > mean_longest(l, p) * LONG_PERCENT;
    if (!a.longer)
        return a;
    const u32 n = all || p->n < 2 * l->resident ? p->n : 2 * l->resident;
    const u32 place = all ? (u32)(a.part * n) : n / 2;
    const struct plan with = with_block(mem, p, n, place, k);
    struct sm_run run;
    run_list(mem, l, m, &with, false, &run);
    a.cycles = (run.ended[place] - run.begun[place]) * recorded(l, k)->rest;
    a.sm_cycles = run.cycles * recorded(l, k)->rest;
    return a;
}

/* When an SM ends that runs it. */
static double long_end(const struct among *a, bool all, double typical_cycles)
{
    return !a->longer ? 0 : all ? a->sm_cycles : a->part * typical_cycles + a->cycles;
}

/* Of what warps waited for, how much the SM's other warps have made: they were ahead, in memory's queues, in the pipes or at the
 * scheduler. The rest takes as long for a warp alone. */
static double crowded_share(const struct sm_run *run)
{
    static const u8 crowded[] = {STALL_LONG_SCOREBOARD, STALL_LG_THROTTLE,   STALL_MIO_THROTTLE,
                                 STALL_TEX_THROTTLE,    STALL_DRAIN,         STALL_MATH_PIPE_THROTTLE,
                                 STALL_NOT_SELECTED,    STALL_DISPATCH_STALL};
    return share_of(run, crowded, LS_ARRAY_LEN(crowded));
}

/* How long an SM works whose blocks cost so much, where all of this one's are replayed, which takes `cycles`: what warps wait for each
 * other grows with what there is to do. */
static double as_busy(const struct replay_launch *l, const struct plan *p, const struct sm_run *run, double cycles,
                      double cost)
{
    const double own = mean_of(l, p, p->n, false) * p->n;
    return own > 0 ? cycles * (1 + (cost / own - 1) * crowded_share(run)) : cycles;
}

/* How long SMs work on average, where each but for that works as long: of what they ask memory for, some get more than others. */
static double less_active(const struct replay_launch *l, const struct plan *p, const struct sm_run *run, double cycles)
{
    const double fewer = p->blocks <= l->resident ? LESS_AT_ONCE : LESS_IN_TURN;
    return cycles * (1 - fewer * crowded_share(run));
}

/* ---- blocks that differ ---- */

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

/* Some block costs more than the others, so that which SM has which matters; and enough of them were replayed to know how long they take. */
static bool differ(const struct replay_launch *l, const struct plan *p, const struct sm_run *run)
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
    run_list(mem, l, m, &one, false, &run);
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
    const u32 most = longest(l), least = shortest(l), active = last_to_work(l, p);
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
    pace.busy = run->sm_used / fmax(1, run->ran * (mean_of(l, p, run->ran, false) + l->warps * pace.first));
    return pace;
}

/* The replayed SM ends with a block that is much longer than its others, which says nothing about these. */
static bool ends_with_long(const struct replay_launch *l, const struct plan *p, u32 ran)
{
    enum { MUCH_LONGER = 2 };
    double most = 0;
    for (u32 k = 0; k < ran; k++)
        most = fmax(most, recorded(l, p->list[k])->longest);
    return most > MUCH_LONGER * mean_longest(l, p);
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

/* All SMs, as many times longer as this one took in the replay than its blocks do by the same rule. */
static struct dispatched all_sms(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                 const struct plan *p, const struct sm_run *run)
{
    struct dispatch_pace pace = pace_of(mem, l, m, p, run);
    struct replay_size *ran = arena_array(mem, struct replay_size, run->ran + 1);
    for (u32 k = 0; k < run->ran; k++)
        ran[k] = l->sizes[recorded(l, p->list[k])->linear];
    const double rest = mean_of(l, p, run->ran, true);
    const struct dispatched one = ends_with_long(l, p, run->ran)
                                      ? dispatch(mem, l, ran, run->ran, 1, &pace)
                                      : fit_first(mem, l, ran, run->ran, run->cycles * rest, &pace);
    struct dispatched all = dispatch(mem, l, l->sizes, l->nblocks, p->active, &pace);
    const double as = one.last > 0 ? run->cycles * rest / one.last : 1;
    all.last *= as;
    if (run->ran >= p->blocks && l->nblocks <= (u64)p->active * l->resident) {
        const struct among a = longest_among(mem, l, m, p, true);
        all.last = fmax(all.last, fmax(long_end(&a, true, 0), as_busy(l, p, run, run->cycles, busiest(mem, l, p))));
    }
    all.mean *= as;
    all.warps *= one.warps > 0 ? run->present / run->cycles / one.warps : 1;
    return all;
}

/* Blocks that cost alike, or so many that it is not known what each costs: other SMs are like this one, but for the longest block. */
static struct dispatched as_one(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                const struct plan *p, const struct sm_run *run)
{
    const struct left left = left_of(mem, l, m, p, run);
    const double cycles = (run->cycles + left.cycles) * scale_of(l, p, run->ran) * mean_of(l, p, run->ran, true);
    const bool once = p->blocks <= l->resident;
    const bool all_ran = run->ran >= p->blocks;
    const struct among a = longest_among(mem, l, m, p, all_ran);
    return (struct dispatched){.last = fmax(cycles, long_end(&a, all_ran, cycles)),
                               .mean = once ? as_busy(l, p, run, cycles, l->cost / p->active) : cycles,
                               .warps = mean_warps(run, left)};
}

static void prepare_funcs(struct arena *mem, const struct replay_launch *l)
{
    for (u32 b = 0; b < l->nrecorded; b++)
        for (u32 k = 0; k < l->blocks[b].nfuncs; k++) {
            struct replay_func *f = l->blocks[b].funcs[k];
            if (!f->prepared)
                f->prepared = prepare_code(mem, f->code, f->nsites);
        }
}

static bool code_has_products(const struct replay_code *code)
{
    for (u32 b = 0; b < code->nblocks; b++)
        for (u32 p = 0; p < code->blocks[b].n; p++)
            for (u32 i = 0; i < code->blocks[b].programs[p].n; i++)
                if (code->blocks[b].programs[p].insts[i].pipe == PIPE_TENSOR)
                    return true;
    return false;
}

static bool has_products(const struct replay_launch *l)
{
    for (u32 b = 0; b < l->nrecorded; b++)
        for (u32 f = 0; f < l->blocks[b].nfuncs; f++)
            if (code_has_products(l->blocks[b].funcs[f]->code))
                return true;
    return false;
}

/* No more blocks than the schedulers have places for. */
static u32 resident_of(const struct replay_launch *l, const struct machine *m)
{
    const u32 most = m->schedulers * SM_WARPS_A_SCHEDULER / (l->warps ? l->warps : 1);
    return l->resident < most ? l->resident : most;
}

static u32 slots_of(const struct replay_launch *l, const struct machine *m)
{
    const u32 least = l->resident * l->warps, most = m->schedulers * SM_WARPS_A_SCHEDULER;
    return l->slots < least ? least : l->slots < most ? l->slots : most;
}

struct replay_result replay_launch(struct arena *mem, const struct replay_launch *asked)
{
    const struct machine m = machine_of(asked->gpu, has_products(asked));
    struct replay_launch held = *asked;
    const struct replay_launch *l = &held;
    held.resident = resident_of(asked, &m);
    held.slots = slots_of(&held, &m);
    held.places = held.places > held.resident ? held.places : held.resident;
    struct replay_result r = {0};
    if (l->nrecorded && l->resident && l->warps) {
        const struct plan p = make_plan(mem, l);
        struct sm_run run;
        prepare_funcs(mem, l);
        held.hold = l->swaps ? hold_of(mem, l, &m, &p) : 0;
        run_list(mem, l, &m, &p, true, &run);
        const struct dispatched all =
            differ(l, &p, &run) ? all_sms(mem, l, &m, &p, &run) : as_one(mem, l, &m, &p, &run);
        r.cycles = all.last;
        r.active = less_active(l, &p, &run, all.mean);
        r.warps = all.warps * kept_places(l, &p, &run);
        r.tries = run.ran ? run.tries * (double)l->nblocks / run.ran : 0;
        r.scale = run.ran ? (double)l->nblocks / run.ran : 0;
        r.sm_used = run.cycles > 0 ? fmin(1, run.sm_used / run.cycles) : 0;
        r.l1_used = run.cycles > 0 ? fmin(1, run.l1_used / run.cycles) : 0;
        for (u32 k = 0; k < STALL_COUNT; k++)
            r.stalls[k] = run.stalls[k];
    }
    r.cycles += l->calls;
    r.active += l->calls;
    r.hz = m.hz;
    r.ns = r.cycles / m.hz * 1e9 + m.launch_ns;
    return r;
}
