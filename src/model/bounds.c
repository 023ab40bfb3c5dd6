/* bounds.c - how long a launch with these counters takes at the least on the GPU, by each of its resources.
 *
 * Lower bounds, no prediction: each resource is taken to be busy all the time and to wait for nothing. Of the SMs, the
 * one with most blocks decides, so the work of one SM is (total / blocks) * ceil(blocks / SMs). In a clock an SM does
 *
 *   dram      the bytes that must move, of the whole device, at the most that a kernel was measured to get
 *   l1        128 bytes: 4 sectors of global and local accesses, those of cp.async too
 *   shared    1 wavefront
 *   lsu       half a memory instruction: the busiest kernels of tests/hw/h200 reach 0.49
 *   issue     1 warp instruction a scheduler
 *   fp32 ...  the GPU file's rates
 *   latency   each wave of blocks waits for memory once: DRAM's latency, or shared memory's, and issues one warp's
 *             instructions one after the other
 *
 * Issue and arithmetic depend on the machine code, as do the counters that they are made of. */
#include "model/bounds.h"

#include <math.h>

static double per(double work, double rate) { return rate > 0 ? work / rate : 0; }

double bound_dram_rate(const struct gpu *gpu)
{
    return gpu->read_bytes_per_s > 0 ? gpu->read_bytes_per_s : gpu->dram_bytes_per_s;
}

double bound_hz(const struct gpu *gpu) { return gpu->boost_mhz * 1e6; }

struct roofs roofs_of(const struct gpu *gpu)
{
    const double cycles = gpu->sms * bound_hz(gpu);
    return (struct roofs){.flops = 2.0 * gpu->fp32_rate * cycles, .l1 = 128.0 * cycles, .dram = bound_dram_rate(gpu)};
}

/* Cycles of memory's latency and of a warp's own instructions, for all waves of blocks. */
static double latency_cycles(const struct gpu *gpu, const struct model_work *w)
{
    const double blocks = (double)w->blocks, room = (double)(w->resident ? w->resident : 1) * gpu->sms;
    double cycles = per(w->inst, w->warps * blocks);
    if (w->global_sectors > 0)
        cycles += gpu->latency_dram;
    else if (w->wavefronts > 0)
        cycles += gpu->latency_shared;
    return ceil(blocks / room) * cycles;
}

struct bounds bounds_of(const struct gpu *gpu, const struct model_work *w, double hz)
{
    const double clock = per(work_share(w, gpu->sms), hz); /* seconds of an SM's cycle, for the work of all SMs */
    return (struct bounds){{
        [BOUND_DRAM] = per(w->dram_bytes, bound_dram_rate(gpu)),
        [BOUND_L1] = clock * (w->global_sectors + w->local_sectors) / 4,
        [BOUND_SHARED] = clock * w->wavefronts,
        [BOUND_LSU] = clock * w->requests * 2,
        [BOUND_ISSUE] = clock * per(w->inst, gpu->sub_partitions),
        [BOUND_FP32] = clock * per(w->fp32, gpu->fp32_rate),
        [BOUND_FP64] = clock * per(w->fp64, gpu->fp64_rate),
        [BOUND_INTEGER] = clock * per(w->integer, gpu->int_rate),
        [BOUND_LATENCY] = per(latency_cycles(gpu, w), hz),
    }};
}

enum bound_id bounds_nearest(const struct bounds *b, u32 n)
{
    u32 nearest = 0;
    for (u32 i = 1; i < n; i++)
        nearest = b->seconds[i] > b->seconds[nearest] ? i : nearest;
    return (enum bound_id)nearest;
}

const char *bound_name(enum bound_id id)
{
    static const char *const names[BOUND_COUNT] = {"dram", "l1",   "shared",  "lsu",    "issue",
                                                   "fp32", "fp64", "integer", "latency"};
    return (u32)id < BOUND_COUNT ? names[id] : "?";
}
