/* machine.c - from a GPU's file to the SM that is replayed (machine.h). */
#include "model/replay/machine.h"

#include <math.h>

#include "model/latency.h"
#include "model/replay/prepare.h"

/* Cycles that a warp's instruction keeps a pipe, by results a clock and SM. */
static double interval(const struct gpu *g, double rate) { return rate > 0 ? 32.0 * g->sub_partitions / rate : 1; }

static double known(double value, double otherwise) { return value > 0 ? value : otherwise; }

static void set_intervals(struct machine *m, const struct gpu *g)
{
    for (u32 p = 0; p < PIPE_COUNT; p++)
        m->interval[p] = 1;
    m->interval[PIPE_FMA] = interval(g, g->fp32_rate);
    m->interval[PIPE_FMAHEAVY] = interval(g, known(g->imad_rate, g->int_rate));
    m->interval[PIPE_ALU] = interval(g, g->int_rate);
    m->interval[PIPE_FP16] = interval(g, g->fp32_rate);
    m->interval[PIPE_FP16_MMA] = m->interval[PIPE_FP16];
    m->interval[PIPE_FP64] = interval(g, g->fp64_rate);
    m->interval[PIPE_XU] = interval(g, g->sfu_rate);
    m->interval[PIPE_UNIFORM] = 2;
    m->interval[PIPE_BRANCH] = 2;
    m->interval[PIPE_ADU] = 2;
    m->interval[PIPE_TENSOR] = 4 * 2048 / known(g->tensor_fp16_rate, 1283); /* m16n8k16 of halves */
    m->interval[PIPE_TEX] = 2;
}

static void set_latencies(struct machine *m, const struct gpu *g)
{
    const struct latencies l = latencies_of(g);
    m->shared = l.shared;
    m->way = known(g->conflict_cycles, 2);
    m->l1 = l.l1;
    m->load_wavefront = 1.85; /* these three: tests/hw/h200/gathers.csv */
    m->load_wavefront_back = 0.4;
    m->load_word_back = 4;
    m->line = 1.35; /* a warp's load of 32 lines takes the LSU 43 cycles */
    m->l2 = known(g->latency_l2_near, l.l2);
    m->far = known(g->latency_l2_far, l.l2);
    m->dram = l.dram;
    m->dram_line = 12; /* fitted */
    m->dram_full = 400;
    m->texture = known(g->latency_texture, 2.0 * l.l1);
    m->miss_line = 1; /* fitted */
    m->atomic = known(g->latency_atomic, 2.0 * l.l2);
    m->swap = known(g->swap_cycles, m->atomic);
    m->shared_atomic = known(g->latency_shared_atomic, l.shared);
    m->fence = known(g->latency_fence, l.l2);
    m->barrier_warp = known(g->barrier_warp_cycles, 2);
    m->barrier = known(g->latency_barrier, 15) - m->barrier_warp;
    m->branch = 3; /* these three: read off an H200's samples of single instructions (docs/calibrate.md) */
    m->branch_fetch = 11;
    m->branch_there = 3; /* these seven: tests/hw/h200/diverge.csv */
    m->join = 8;
    m->join_stall = 4;
    m->exit = 9;
    m->join_late = 25;
    m->comes_back = 31;
    m->change = 3;
    m->product = 25; /* these six: tests/hw/h200/async-times.csv */
    m->copy_issue = 56;
    m->copy_sm = 97;
    m->copy_all = 62.0 * g->sms;
    m->copy = 150;
    m->copy_out = 60;
    m->leave = 30; /* fitted: what ncu calls drain */
}

/* What no file has was measured on an H200: chains of loads of 1 to 32 words, one warp and 8 loads side by side in 1 to 32 warps, in
 * 1 KB to 64 KB; FFMA with 960 parameters one after the other; the first load of each 256 bytes after L2 was flushed. */
static void set_constants(struct machine *m, const struct gpu *g)
{
    m->constant = known(g->latency_constant, 34);
    m->constant_l2 = known(g->latency_constant_l2, 100);
    m->constant_lines = (u32)known(g->constant_l1_bytes, 2048) / CONSTANT_LINE;
    m->constant_memory = 748 - m->constant_l2;
    m->constant_shared = 665 - m->constant_l2; /* these two: tests/hw/h200/tables.csv, diverge.csv */
    m->constant_index = 9;
    m->constant_word = 2;
    m->constant_next = 11;
    m->constant_fill = 10; /* these three: tests/hw/h200/tables.csv */
    m->constant_group = 16.5 / g->sms;
    m->constant_group_fill = 2.86;
    m->match = 29;
    m->match_wide = 2;
    m->match_next = 2; /* these three: tests/hw/h200/matches.csv */
    m->operand_miss = 56;
    m->parameters = 150; /* fitted on what short kernels wait for */
}

static void set_fetch(struct machine *m, const struct gpu *g)
{
    const u32 line = INSTS_A_LINE * INST_BYTES;
    m->near_lines = (u32)known(g->icache_l1_bytes, 32768) / line;
    m->far_lines = (u32)known(g->icache_bytes, 131072) / line;
    m->lines_ahead = (u32)known(g->icache_prefetch_bytes, 65536) / line;
    m->fetch = INSTS_A_LINE * known(g->fetch_cycles, 2.2);
    m->fetch_l2 = INSTS_A_LINE * known(g->fetch_l2_cycles, 5.6);
    m->fetch_dram = INSTS_A_LINE * 12.6; /* beyond the first 64 KB, other code run before, L2 flushed */
    m->fetch_first = 150;                /* fitted */
    m->fetch_line = 2.3; /* 16 and 32 warps at different places of 40 to 120 KB: 3.5 instructions a cycle */
}

/* Kernels reach 51 and 52 GB/s where copies reach 55.5 and 55.3; a load takes 2270 cycles (tests/hw/h200/zero-copy.csv). Where no link
 * was measured, that of an H200. */
static void set_link(struct machine *m, const struct gpu *g)
{
    const double in = known(g->link_htod_bytes_per_s, 55.5e9), out = known(g->link_dtoh_bytes_per_s, 55.3e9);
    m->link_in = 51 / 55.5 * in / m->hz;
    m->link_out = 52 / 55.3 * out / m->hz;
    m->host = 2270;
}

/* By tests/hw/memory_cases.cu on an H200, which reads 28.4 sectors a cycle a stride apart, 19.5 at random places of 1 GiB; of
 * written sectors DRAM takes 20.7 and 13.5. L2 gives 76 sectors at random places a cycle where it gives 116 spread
 * evenly, and takes 35 lines a cycle of which one sector is written, but 72 sectors of whole ones. */
static void set_places(struct machine *m)
{
    m->dram_apart = 28.4 / 19.5 * m->dram_sector;
    m->dram_write_sector = 28.4 / 20.7 * m->dram_sector;
    m->dram_write_apart = 28.4 / 13.5 * m->dram_sector;
    m->l2_read_apart = 116.0 / 76 * 32 / m->l2_all;
    m->l2_write_line = 72.0 / 35 * 32 / m->l2_write_all;
}

static void set_rates(struct machine *m, const struct gpu *g)
{
    const double copy = g->copy_bytes_per_s > 0 ? g->copy_bytes_per_s : 0.9 * g->dram_bytes_per_s;
    const double all = g->l2_sector_rate > 0 ? 32 * g->l2_sector_rate : known(g->l2_rate, 32.0 * g->sms);
    m->line_bytes = known(g->l1_rate, 128);
    m->l2_sm = known(g->l2_sm_rate, 64);
    m->l2_all = all;
    m->l2_write_sm = known(g->l2_sm_write_rate, 32);
    m->l2_write_all = known(g->l2_write_rate, all / 2);
    m->read_same = 1 / known(g->l2_line_rate, 3.66);
    m->dram_sm = known(g->dram_sm_rate, m->l2_sm / 2);
    m->dram_all = known(copy / m->hz, all / 2);
    m->dram_sector = 1 / known(g->dram_sector_rate, m->dram_all / 64);
    set_places(m);
    m->atomic_same = 1 / known(g->atomic_address_rate, 0.75);
    m->atomic_line = 32 / (4 * known(g->atomic_line_rate, 6.3));
    m->atomic_float = 1 / known(g->atomic_address_float_rate, 0.32);
    m->atomic_all = known(g->atomic_sm_rate, 3) * g->sms / 2; /* half of what all SMs ask for is served */
    m->atomic_sector = 1 / known(g->atomic_scattered_rate, 59);
    m->atomic_result = 1 / known(g->atomic_result_rate, known(g->atomic_scattered_rate, 59));
    m->dram_write_back = fmax(1 / known(g->atomic_dram_rate, 9.3) - m->dram_sector, m->dram_sector);
    m->blocks_a_cycle = known(g->block_rate, 0.84);
    m->block_start = known(g->block_turnover_cycles, 267);
}

/* A Hopper's clock is lower while products of matrices run, and was for each kernel with any: 1.81 GHz of 1.98 on an H200
 * (tests/hw/h200/corpus.csv, its half for fitting; its data sheet's rates of products are of 1.83 GHz). */
static double mhz_of(const struct gpu *g, bool products)
{
    enum { PRODUCTS_MHZ = 1810, OF_MHZ = 1980 };
    return products && g->cc_major == 9 ? (double)g->boost_mhz * PRODUCTS_MHZ / OF_MHZ : g->boost_mhz;
}

struct machine machine_of(const struct gpu *g, bool products)
{
    struct machine m = {
        .schedulers = g->sub_partitions && g->sub_partitions <= MACHINE_SCHEDULERS ? g->sub_partitions : 1,
        .hz = mhz_of(g, products) * 1e6,
        .launch_ns = g->kernel_ns,
        /* A sub-partition sends a memory instruction every fourth cycle; read off an H200's queues (docs/calibrate.md). */
        .lsu_cycles = 1,
        .issue = 4,
        .loads_queued = 30,
        .stores_queued = 10,
        .slices = 92, /* of an H200, by what ncu says of sectors: of all, over the most of one */
        /* Fitted on the corpus's half for fitting. */
        .store_queue = 1500,
        .store_read = 50,
    };
    set_intervals(&m, g);
    set_latencies(&m, g);
    set_constants(&m, g);
    set_fetch(&m, g);
    set_rates(&m, g);
    set_link(&m, g);
    return m;
}
