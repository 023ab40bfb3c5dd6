/* time.h - the model of time: how long a launch takes, and what it waits for.
 *
 * A launch is looked at from every side as if nothing else limited it; each gives a number of cycles of the SM with
 * most blocks. Everything comes from the counters (machine instructions as estimate.c has them, sectors as the model of
 * the caches has them) and from the GPU's file.
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
 *     latency   the way of a warp (time_path.c) x how often the SM is filled with blocks, a small part of it
 *
 * They overlap, but not wholly: the time is their p-norm, and once the way of a warp, since nothing hides what the
 * first and the last one wait for, and the time of a kernel that does nothing. What p is, and the rates that no manual
 * tells, is fitted on one half of the recorded kernels of an H200 and tested on the other (docs/model.md).
 *
 * What it does not know: other launches, clocks that change, the order that ptxas gives to instructions, TLBs,
 * instruction caches, skew between blocks. */
#ifndef LS_METER_TIME_H
#define LS_METER_TIME_H

#include "base/gpu.h"
#include "meter/rules.h"

struct block_count;

/* Adds to *path the cycles that all warps of a launch spend in f, one after the other: warps[b] is how many came into
 * block b, n the events by site. mem is for the time of the call; its recovery point is set. */
void time_path_add(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                   const struct block_count *blocks, u64 (*n)[EVENT_COUNT], double *path);

struct time_input {
    const struct gpu *gpu;
    const u64 *n; /* the launch's events */
    u64 blocks;
    u32 warps;       /* of a block */
    u32 resident;    /* blocks that an SM holds */
    double path;     /* of all warps together, by time_path_add */
    u64 atomic_most; /* caches_atomic_most */
};
struct meter_time time_of(const struct time_input *in);

#endif
