/* machine.c - from a GPU's file to the SM that is replayed (machine.h). */
#include "model/replay/machine.h"

#include "model/latency.h"

/* Cycles that a warp's instruction keeps a pipe, by results a clock and SM. */
static double interval(const struct gpu *g, double rate) { return rate > 0 ? 32.0 * g->sub_partitions / rate : 1; }

static void set_intervals(struct machine *m, const struct gpu *g)
{
    for (u32 p = 0; p < PIPE_COUNT; p++)
        m->interval[p] = 1;
    m->interval[PIPE_FMA] = interval(g, g->fp32_rate);
    m->interval[PIPE_FMAHEAVY] = interval(g, g->int_rate);
    m->interval[PIPE_ALU] = interval(g, g->int_rate);
    m->interval[PIPE_FP16] = interval(g, g->fp32_rate);
    m->interval[PIPE_FP64] = interval(g, g->fp64_rate);
    m->interval[PIPE_XU] = interval(g, g->sfu_rate);
    m->interval[PIPE_UNIFORM] = 2;
    m->interval[PIPE_BRANCH] = 2;
    m->interval[PIPE_ADU] = 2;
    m->interval[PIPE_TENSOR] = 6.4; /* m16n8k16 of halves: 1283 multiply-adds a clock and SM */
    m->interval[PIPE_TEX] = 2;
}

/* What no GPU file has is what an H200 was measured to do (docs/calibrate.md), in cycles. */
struct machine machine_of(const struct gpu *g)
{
    const struct latencies l = latencies_of(g);
    const double hz = g->boost_mhz * 1e6;
    const double copy = g->copy_bytes_per_s > 0 ? g->copy_bytes_per_s : 0.9 * g->dram_bytes_per_s;
    struct machine m = {
        .schedulers = g->sub_partitions && g->sub_partitions <= MACHINE_SCHEDULERS ? g->sub_partitions : 1,
        .shared = 23,
        .way = 2,
        .l1 = 32,
        .line = 2,
        .l2 = 280,
        .far = 280,
        .dram = 661,
        .texture = 101,
        .constant = 38,
        .constant_miss = 160,
        .atomic = 518,
        .shared_atomic = 26,
        .lsu_cycles = 1,
        .queue = 24,
        .line_bytes = 128,
        .l2_sm = 64,
        .l2_all = 4800,
        .l2_write_sm = 32,
        .l2_write_all = 2473,
        .dram_sm = 64,
        .dram_all = copy / hz,
        .store_queue = 1500,
        .read_same = 0.27,
        .atomic_same = 1.33,
        .atomic_all = 425,
        .atomic_sector = 1 / 59.4,
        .barrier = 13,
        .barrier_warp = 2,
        .fence = 266,
        .branch = 8,
        .fetch = 17,
        .block_start = 200,
        .blocks_a_cycle = 0.84,
        .hz = hz,
        .launch_ns = g->kernel_ns,
    };
    (void)l;
    set_intervals(&m, g);
    return m;
}
