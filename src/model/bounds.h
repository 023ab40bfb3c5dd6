/* bounds.h - how long a launch takes at the least, by each resource of the GPU. */
#ifndef LS_MODEL_BOUNDS_H
#define LS_MODEL_BOUNDS_H

#include "base/gpu.h"
#include "model/work.h"

/* BOUND_LATENCY is the last: it is no throughput. */
enum bound_id {
    BOUND_DRAM,
    BOUND_L1,
    BOUND_SHARED,
    BOUND_LSU,
    BOUND_ISSUE,
    BOUND_FP32,
    BOUND_FP64,
    BOUND_INTEGER,
    BOUND_LATENCY,
    BOUND_COUNT
};

struct bounds {
    double seconds[BOUND_COUNT]; /* 0: the launch does not use it, or the GPU's rate is not known */
};

/* At hz cycles a second of an SM. */
struct bounds bounds_of(const struct gpu *gpu, const struct model_work *w, double hz);
/* The largest among the first n; of equals the first. */
enum bound_id bounds_nearest(const struct bounds *b, u32 n);
const char *bound_name(enum bound_id id); /* "dram" */
/* The most that DRAM gives to any kernel: what one that only reads was measured to get, or else the data sheet's. */
double bound_dram_rate(const struct gpu *gpu);
/* Cycles a second of an SM at the boost clock. */
double bound_hz(const struct gpu *gpu);

/* What is divided by what to a bound. Of BOUND_DRAM: bytes, and bytes a second. Of BOUND_LATENCY: cycles of a warp's instructions
 * and of memory, one after the other, as often as there are waves of blocks. Of the others: the work of the SM that has most,
 * and how much of it an SM does in a cycle. */
struct bound_sum {
    double work, rate;
    double waves, inst, memory;
};
struct bound_sum bound_sum_of(const struct gpu *gpu, const struct model_work *w, enum bound_id id);

/* The most of the whole GPU a second: f32 and f64 operations, instructions of warps, bytes of L1, L2 and DRAM. */
struct roofs {
    double flops, fp64, issue, l1, l2, dram;
};
struct roofs roofs_at(const struct gpu *gpu, double hz); /* at so many cycles a second of an SM */
struct roofs roofs_of(const struct gpu *gpu);            /* at the boost clock */

#endif
