/* bounds.c - how long a launch with these counters takes at the least on the simulated GPU, by each of its resources.
 *
 * A lower bound, not a prediction: each resource is taken to be busy all the time and to wait for nothing. Of the SMs,
 * the one with most blocks decides, so the work of one SM is (total / blocks) * ceil(blocks / SMs). Rates a clock of an SM:
 *
 *   dram     the bytes that the task must move, at the measured copy bandwidth (or the data sheet's); no cache helps
 *   l1       128 bytes: 4 sectors of global and local accesses
 *   shared   1 wavefront
 *   lsu      1 memory instruction every 2 clocks
 *   issue    1 warp instruction a scheduler
 *   fp32     the GPU file's rate
 *
 * Issue and fp32 depend on the machine code, as do the counters that they are made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gpu.h"
#include "lab/internal.h"

#define EVENT_OF(r, name) ((double)(r)->n[EVENT_##name])

static double sectors(const struct meter_report *r)
{
    return EVENT_OF(r, gld_sectors) + EVENT_OF(r, gst_sectors) + EVENT_OF(r, gatom_sectors) +
           EVENT_OF(r, gred_sectors) + EVENT_OF(r, lld_sectors) + EVENT_OF(r, lst_sectors);
}

static double wavefronts(const struct meter_report *r)
{
    return EVENT_OF(r, sld_wavefronts) + EVENT_OF(r, sst_wavefronts) + EVENT_OF(r, satom_wavefronts);
}

static double memory_instructions(const struct meter_report *r)
{
    return EVENT_OF(r, gld_requests) + EVENT_OF(r, gst_requests) + EVENT_OF(r, gatom_requests) +
           EVENT_OF(r, gred_requests) + EVENT_OF(r, lld_requests) + EVENT_OF(r, lst_requests) +
           EVENT_OF(r, sld_requests) + EVENT_OF(r, sst_requests) + EVENT_OF(r, satom_inst);
}

static double fp32(const struct meter_report *r)
{
    const double v = meter_value(r, METRIC_fp32);
    return isnan(v) ? 0 : v;
}

static double or_zero(double v) { return isfinite(v) ? v : 0; }

void lab_bounds(const struct gpu *gpu, struct lab_result *out)
{
    static const char *const names[BOUND_COUNT] = {"dram", "l1", "shared", "lsu", "issue", "fp32"};
    const struct meter_report *r = out->report;
    const struct launch *l = out->main;
    if (!r || !l)
        return;
    const double blocks = (double)l->grid[0] * l->grid[1] * l->grid[2], most = ceil(blocks / gpu->sms);
    const double clocks = most / blocks / (gpu->boost_mhz * 1e6); /* seconds a clock of work, all SMs' together */
    const double dram = gpu->copy_bytes_per_s > 0 ? gpu->copy_bytes_per_s : gpu->dram_bytes_per_s;
    double s[BOUND_COUNT] = {
        [BOUND_DRAM] = or_zero((double)out->plan.useful_bytes / dram),
        [BOUND_L1] = sectors(r) / 4 * clocks,
        [BOUND_SHARED] = wavefronts(r) * clocks,
        [BOUND_LSU] = memory_instructions(r) * 2 * clocks,
        [BOUND_ISSUE] = or_zero(meter_value(r, METRIC_inst) / gpu->sub_partitions * clocks),
        [BOUND_FP32] = gpu->fp32_rate ? fp32(r) / gpu->fp32_rate * clocks : 0,
    };
    for (u32 i = 0; i < BOUND_COUNT; i++) {
        out->bounds[i] = s[i];
        if (s[i] > out->bound_seconds) {
            out->bound_seconds = s[i];
            out->limit = names[i];
        }
    }
}
