/* time.h - the model of time: how long a launch takes, and what it waits for.
 *
 * Each resource gives the number of cycles that the SM with most blocks would need if nothing else limited the launch.
 * Everything comes from the counters (machine instructions as meter/sass estimates them, sectors as the model of the
 * caches has them) and from the GPU's file.
 *
 *     issue     instructions of an SM's share / schedulers
 *
 *     pipes     f32, f64, integer, special functions and conversions, shuffles, matrix products: threads / rate
 *
 *     l1        memory instructions, lines looked up with wavefronts of shared memory, words of constants
 *
 *     l2        sectors to this SM at l2_sm_rate, of all at l2_rate
 *
 *     dram      bytes at what a copy was measured to reach
 *
 *     atomics   sectors of the most wanted slice of L2, one after the other; all of them at atomic_rate
 *
 *     blocks    the device starts blocks one after the other
 *
 *     latency   the way of a warp (path.h) x how often the SM is filled with blocks, a small part of it
 *
 * They overlap, but not wholly: the time is their p-norm, and once the way of a warp, since nothing hides what the
 * first and the last one wait for, and the time of a kernel that does nothing. What p is, and the rates that no manual
 * tells, is fitted on one half of the recorded kernels of an H200 and tested on the other (docs/model.md).
 *
 * What it does not know: other launches, clocks that change, the order that ptxas gives to instructions, TLBs,
 * instruction caches, skew between blocks. */
#ifndef LS_MODEL_TIME_H
#define LS_MODEL_TIME_H

#include "base/gpu.h"
#include "model/replay/replay.h"
#include "model/work.h"

/* In cycles of the SM with most blocks: what a launch would take if nothing else limited it. */
struct model_time {
    double issue, pipes, l1, l2, dram, atomics, blocks, latency;
    double busy;            /* from the first block to the last */
    double ns, cycles;      /* with what a launch takes besides */
    double formula_ns;      /* what the formula alone says */
    double low_ns, high_ns; /* what eight launches in ten are expected between (interval.h); 0: unknown */
    double measured;        /* launches that this is from; 0: a guess */
    double sm_hz, dram_hz;  /* the clocks that it was computed for */
    double active;          /* busy, on the average of all SMs */
    double warps_pct;       /* achieved occupancy */
    double dram_pct, l2_pct, l1_pct, sm_pct; /* of the most that each could do in that time */
};
/* From then on time is modelled for the base clock, if the GPU's file has one. */
void time_at_base_clock(struct gpu *gpu);
struct model_time time_of(const struct gpu *gpu, const struct model_work *w);
/* The time, and what is a share of it, become those of the replay; the bounds stay. */
void time_replayed(struct model_time *t, const struct gpu *gpu, const struct model_work *w,
                   const struct replay_result *r);

#endif
