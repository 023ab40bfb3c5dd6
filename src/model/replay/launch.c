/* launch.c - from the blocks that one SM ran to the time of the launch (replay.h).
 *
 * If the SM's blocks (plan.h) are more than the budget, the rest goes on at the rate at which blocks began after the SM was
 * filled, scaled by the mean cost of all blocks over the mean of those replayed.
 *
 * Where blocks differ, all SMs are gone through with what each block costs (differ.h). The longest block is looked at on its own, too: an SM replays
 * it among typical ones; the launch ends no earlier than it does. */
#include "model/replay/differ.h"

/* Of the time of the SM that ends last, how much less others work where all wait for memory (tests/hw/sm_ends.cu): where all blocks are
 * there at once, and where an SM that is ahead has more of them. */
#define LESS_AT_ONCE 0.06
#define LESS_IN_TURN 0.03

/* How long locks are held, where nobody waits for them longer than for a swap. */
static double hold_of(struct arena *mem, const struct replay_launch *l, const struct machine *m, const struct plan *p)
{
    struct sm_run run;
    plan_run(mem, l, m, p, false, &run);
    return run.hold;
}

/* What all blocks cost by what those cost that were replayed. Blocks that were all there at once have their own time. */
static double scale_of(const struct replay_launch *l, const struct plan *p, u32 ran)
{
    const double mean = plan_mean(l, p, ran, false);
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
        plan_run(mem, l, m, &last, false, &end);
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

/* Where blocks begin as others end, an SM has somewhat fewer warps than the replay: memory does not answer all of a block's warps alike, and its
 * last one holds the block's place. Fitted on the corpus's half for that: 4 % where all wait for memory, from four waves on. */
static double kept_places(const struct replay_launch *l, const struct plan *p, const struct sm_run *run)
{
    static const u8 memory[] = {STALL_LONG_SCOREBOARD, STALL_LG_THROTTLE};
    const double uneven = 0.04, waves = p->blocks / (double)l->resident;
    return 1 - uneven * plan_share(run, memory, LS_ARRAY_LEN(memory)) * fmin(1, fmax(0, (waves - 3) / 2));
}

/* How long SMs work on average, where each but for that works as long: of what they ask memory for, some get more than others. */
static double less_active(const struct replay_launch *l, const struct plan *p, const struct sm_run *run, double cycles)
{
    const double fewer = p->blocks <= l->resident ? LESS_AT_ONCE : LESS_IN_TURN;
    return cycles * (1 - fewer * plan_crowded(run));
}

/* Blocks that cost alike, or so many that it is not known what each costs: other SMs are like this one, but for the longest block. */
static struct dispatched as_one(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                const struct plan *p, const struct sm_run *run)
{
    const struct left left = left_of(mem, l, m, p, run);
    const double cycles = (run->cycles + left.cycles) * scale_of(l, p, run->ran) * plan_mean(l, p, run->ran, true);
    const bool once = p->blocks <= l->resident;
    const bool all_ran = run->ran >= p->blocks;
    const struct among a = plan_among(mem, l, m, p, all_ran);
    return (struct dispatched){.last = fmax(cycles, plan_long_end(&a, all_ran, cycles)),
                               .mean = once ? plan_busy(l, p, run, cycles, l->cost / p->active) : cycles,
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
        const struct plan p = plan_make(mem, l);
        struct sm_run run;
        prepare_funcs(mem, l);
        held.hold = l->swaps ? hold_of(mem, l, &m, &p) : 0;
        plan_run(mem, l, &m, &p, true, &run);
        const struct dispatched all =
            differ(l, &p, &run) ? differ_all_sms(mem, l, &m, &p, &run) : as_one(mem, l, &m, &p, &run);
        r.cycles = all.last;
        r.active = less_active(l, &p, &run, all.mean);
        r.warps =
            fmin(all.warps * kept_places(l, &p, &run), l->slots); /* as scaling blocks that differ may overshoot */
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
