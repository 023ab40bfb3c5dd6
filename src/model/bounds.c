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

struct roofs roofs_at(const struct gpu *gpu, double hz)
{
    const double cycles = gpu->sms * hz;
    return (struct roofs){.flops = 2.0 * gpu->fp32_rate * cycles,
                          .fp64 = 2.0 * gpu->fp64_rate * cycles,
                          .issue = gpu->sub_partitions * cycles,
                          .l1 = 128.0 * cycles,
                          .l2 = gpu->l2_rate * hz,
                          .dram = bound_dram_rate(gpu)};
}

struct roofs roofs_of(const struct gpu *gpu) { return roofs_at(gpu, bound_hz(gpu)); }

/* ---- sums ---- */

/* Cycles of memory's latency and of a warp's own instructions, for each wave of blocks. */
static struct bound_sum latency_sum(const struct gpu *gpu, const struct model_work *w)
{
    const double blocks = (double)w->blocks, room = (double)(w->resident ? w->resident : 1) * gpu->sms;
    return (struct bound_sum){.waves = ceil(blocks / room),
                              .inst = per(w->inst, w->warps * blocks),
                              .memory = w->global_sectors > 0 ? gpu->latency_dram
                                        : w->wavefronts > 0   ? gpu->latency_shared
                                                              : 0};
}

static struct bound_sum sm_sum(const struct gpu *gpu, const struct model_work *w, double work, double rate)
{
    return (struct bound_sum){.work = work_share(w, gpu->sms) * work, .rate = rate};
}

struct bound_sum bound_sum_of(const struct gpu *gpu, const struct model_work *w, enum bound_id id)
{
    switch (id) {
    case BOUND_DRAM:
        return (struct bound_sum){.work = w->dram_bytes, .rate = bound_dram_rate(gpu)};
    case BOUND_L1:
        return sm_sum(gpu, w, w->global_sectors + w->local_sectors, 4);
    case BOUND_SHARED:
        return sm_sum(gpu, w, w->wavefronts, 1);
    case BOUND_LSU:
        return sm_sum(gpu, w, w->requests, 0.5);
    case BOUND_ISSUE:
        return sm_sum(gpu, w, w->inst, gpu->sub_partitions);
    case BOUND_FP32:
        return sm_sum(gpu, w, w->fp32, gpu->fp32_rate);
    case BOUND_FP64:
        return sm_sum(gpu, w, w->fp64, gpu->fp64_rate);
    case BOUND_INTEGER:
        return sm_sum(gpu, w, w->integer, gpu->int_rate);
    default:
        return latency_sum(gpu, w);
    }
}

static double seconds_of(const struct bound_sum *s, enum bound_id id, double hz)
{
    if (id == BOUND_DRAM)
        return per(s->work, s->rate);
    return id == BOUND_LATENCY ? per(s->waves * (s->inst + s->memory), hz) : per(per(s->work, s->rate), hz);
}

struct bounds bounds_of(const struct gpu *gpu, const struct model_work *w, double hz)
{
    struct bounds b;
    for (u32 i = 0; i < BOUND_COUNT; i++) {
        const struct bound_sum sum = bound_sum_of(gpu, w, (enum bound_id)i);
        b.seconds[i] = seconds_of(&sum, (enum bound_id)i, hz);
    }
    return b;
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
