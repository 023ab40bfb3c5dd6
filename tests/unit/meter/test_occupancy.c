/* test_occupancy.c - occupancy of cases worked out by hand from the documented limits, and, where a CUDA toolkit is
 * installed (HAVE_CUDA_OCCUPANCY), against NVIDIA's calculator on thousands of random requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/gpu.h"
#include "model/occupancy.h"

#ifdef HAVE_CUDA_OCCUPANCY
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop
#endif

static struct gpu load(const char *id)
{
    struct gpu g;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(gpu_find(id, &g, &d), LS_OK);
    diag_free(&d);
    return g;
}

struct hand {
    const char *gpu;
    struct occupancy_request q;
    u32 blocks, warps;
    enum occupancy_limiter limiter;
    const char *why;
};

/* Worked out from: H200 64 warps, 32 blocks, 64 Ki registers in 4 partitions, 228 KiB shared; 4090 48 warps, 24 blocks,
 * 100 KiB; A100 64 warps, 164 KiB; V100 64 warps, 96 KiB in units of 256 bytes, nothing reserved. */
static const struct hand hands[] = {
    {"h200", {1024, 16, 4096, 0, -1, 1}, 2, 64, OCCUPANCY_BY_WARPS, "64 / 32 warps"},
    {"h200", {32, 16, 0, 0, -1, 1}, 32, 32, OCCUPANCY_BY_BLOCKS, "32 blocks of one warp: half the warps"},
    {"h200", {256, 64, 0, 0, -1, 1}, 4, 32, OCCUPANCY_BY_REGISTERS, "2048 a warp, 8 a partition, 32 / 8"},
    {"h200", {256, 33, 0, 0, -1, 1}, 6, 48, OCCUPANCY_BY_REGISTERS, "1056 -> 1280 a warp, 12 a partition, 48 / 8"},
    {"h200",
     {544, 33, 0, 0, -1, 1},
     2,
     34,
     OCCUPANCY_BY_REGISTERS,
     "12 warps a partition: 48 / 17, though 51 fit an SM"},
    {"h200", {128, 32, 45670, 0, -1, 1}, 4, 16, OCCUPANCY_BY_SHARED, "46694 bytes are handed out as 46720: not five"},
    {"h200", {96, 168, 0, 0, -1, 1}, 4, 12, OCCUPANCY_BY_REGISTERS, "5376 a warp, 3 a partition, 12 / 3"},
    {"h200", {128, 32, 48 * 1024, 0, -1, 1}, 4, 16, OCCUPANCY_BY_SHARED, "49 KiB with the reserved one, 228 / 49"},
    {"h200", {128, 32, 0, 227 * 1024, -1, 1}, 1, 4, OCCUPANCY_BY_SHARED, "228 KiB"},
    {"h200", {128, 32, 0, 227 * 1024 + 1, -1, 1}, 0, 0, OCCUPANCY_BY_SHARED, "beyond the opt-in maximum"},
    {"h200", {128, 32, 1024, 0, 8, 1}, 4, 16, OCCUPANCY_BY_SHARED, "2 KiB each in a carve-out of 8"},
    {"h200", {128, 32, 10 * 1024, 0, 0, 1}, 1, 4, OCCUPANCY_BY_SHARED, "none wanted: raised to 16 KiB"},
    {"h200", {128, 32, 0, 0, -1, 16}, 4, 16, OCCUPANCY_BY_BARRIERS, "64 / 16 barriers"},
    {"h200", {1024, 65, 0, 0, -1, 1}, 0, 0, OCCUPANCY_BY_REGISTERS, "2304 x 32 registers do not fit a block"},
    {"rtx4090", {1024, 16, 0, 0, -1, 1}, 1, 32, OCCUPANCY_BY_WARPS, "48 / 32 warps"},
    {"rtx4090", {64, 16, 0, 0, -1, 1}, 24, 48, OCCUPANCY_BY_WARPS, "48 / 2 warps"},
    {"rtx4090", {32, 16, 0, 0, -1, 1}, 24, 24, OCCUPANCY_BY_BLOCKS, "24 blocks"},
    {"a100", {256, 32, 40 * 1024, 0, -1, 1}, 4, 32, OCCUPANCY_BY_SHARED, "41 KiB, 164 / 41"},
    {"v100", {256, 32, 24 * 1024 + 1, 0, -1, 1}, 3, 24, OCCUPANCY_BY_SHARED, "24.25 KiB, 96 / 24.25"},
    {"v100", {256, 32, 24 * 1024, 0, -1, 1}, 4, 32, OCCUPANCY_BY_SHARED, "24 KiB, nothing reserved"},
    {"rtx5060ti", {256, 40, 0, 0, -1, 1}, 6, 48, OCCUPANCY_BY_WARPS, "48 / 8 warps; registers allow 6 too"},
};

static void cases_worked_out_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < LS_ARRAY_LEN(hands); i++) {
        const struct hand *h = &hands[i];
        const struct gpu g = load(h->gpu);
        const struct occupancy_result r = occupancy(&g, &h->q);
        if (r.blocks_per_sm != h->blocks || r.warps != h->warps || r.limiter != h->limiter)
            fail_msg("%s, %u threads, %u registers (%s): %u blocks, %u warps, by %s; expected %u, %u, by %s", h->gpu,
                     h->q.threads, h->q.regs, h->why, r.blocks_per_sm, r.warps, occupancy_limiter_name(r.limiter),
                     h->blocks, h->warps, occupancy_limiter_name(h->limiter));
        assert_float_equal(r.pct, 100.0 * h->warps / (g.threads_per_sm / 32), 1e-9);
    }
}

/* The two launches of the tutorials whose occupancy ncu printed on an H200: 100 % and 50 %. */
static void occupancy_that_ncu_printed(void **state)
{
    (void)state;
    const struct gpu g = load("h200");
    assert_float_equal(occupancy(&g, &(struct occupancy_request){512, 16, 2048, 0, -1, 1}).pct, 100.0, 1e-9);
    assert_float_equal(occupancy(&g, &(struct occupancy_request){32, 20, 160, 0, -1, 1}).pct, 50.0, 1e-9);
}

/* Registers are a warp's, 5 of 3072 in a sub-partition; places and shared memory a block's. */
static void warps_and_blocks_have_room_of_their_own(void **state)
{
    (void)state;
    const struct gpu g = load("h200");
    const struct occupancy_result regs = occupancy(&g, &(struct occupancy_request){512, 96, 0, 0, -1, 1}),
                                  shared = occupancy(&g, &(struct occupancy_request){128, 32, 20 << 10, 0, -1, 1}),
                                  barriers = occupancy(&g, &(struct occupancy_request){128, 32, 0, 0, -1, 16});
    assert_true(regs.blocks_per_sm == 1 && regs.slots == 20 && regs.places == 32);
    assert_true(shared.blocks_per_sm == 10 && shared.slots == 64 && shared.places == 10);
    assert_true(barriers.blocks_per_sm == 4 && barriers.slots == 64 && barriers.places == 4);
}

/* Launches on an H200 (tests/hw/h200/corpus.csv, memory.csv): launch__shared_mem_config_size. */
static void carve_outs_that_the_driver_chose(void **state)
{
    (void)state;
    static const struct {
        struct occupancy_request q;
        u32 kib;
        const char *launch;
    } rows[] = {
        {{1024, 32, 0, 0, -1, 1}, 8, "axpy_half8"},
        {{512, 32, 0, 0, -1, 1}, 16, "bit_transpose_ballot"},
        {{256, 32, 0, 0, -1, 1}, 32, "aes128_global"},
        {{64, 168, 0, 0, -1, 1}, 32, "align_local: registers do not matter"},
        {{32, 16, 0, 0, -1, 1}, 32, "chase_warp"},
        {{1024, 16, 4096, 0, -1, 1}, 16, "scan_barriers: just enough for two"},
        {{1024, 64, 0, 65536, -1, 1}, 100, "jacobi_shared"},
        {{512, 32, 3344, 0, -1, 1}, 64, "convolve_shared: eight, not four"},
        {{512, 24, 8192, 0, -1, 1}, 100, "fft_shared"},
        {{256, 32, 1024, 0, -1, 1}, 32, "aes128_shared: just enough for sixteen"},
        {{256, 24, 1028, 0, -1, 1}, 64, "binomial_options"},
        {{256, 128, 8192, 0, -1, 1}, 64, "regTile1D: four, as registers are for two"},
        {{256, 16, 1024, 0, -1, 16}, 8, "team_barriers: barriers for four"},
        {{128, 32, 16, 0, -1, 1}, 32, "sums_flat"},
        {{128, 24, 136, 0, -1, 1}, 64, "scan_LookBack"},
        {{128, 40, 136, 0, -1, 1}, 32, "scan_LookBackVector"},
        {{128, 32, 4096, 0, -1, 1}, 132, "cyclic_reduction"},
        {{128, 32, 8704, 0, -1, 1}, 164, "chacha20_staged: no more than it needs"},
        {{128, 32, 14836, 0, -1, 1}, 228, "forest_shared"},
        {{64, 32, 512, 0, -1, 1}, 64, "dct8_tile"},
        {{64, 32, 0, 1024, -1, 1}, 64, "gravity_global"},
        {{256, 24, 0, 1024, 0, 1}, 8, "tileFlipPreferL1"},
        {{256, 24, 0, 1024, 228, 1}, 228, "tileFlipPreferShared"},
    };
    const struct gpu g = load("h200");
    for (size_t k = 0; k < LS_ARRAY_LEN(rows); k++) {
        const struct occupancy_result r = occupancy(&g, &rows[k].q);
        if (r.carveout_kib != rows[k].kib)
            fail_msg("%s: %u KiB, not %u", rows[k].launch, r.carveout_kib, rows[k].kib);
        assert_int_equal(r.limit_carveout, rows[k].kib * 1024 / r.shared_per_block);
    }
}

#ifdef HAVE_CUDA_OCCUPANCY
static u32 seed = 7;
static u32 random_u32(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static struct cudaOccDeviceProp device_of(const struct gpu *g)
{
    struct cudaOccDeviceProp p = {0};
    p.computeMajor = (int)g->cc_major;
    p.computeMinor = (int)g->cc_minor;
    p.maxThreadsPerBlock = (int)g->threads_per_block;
    p.maxThreadsPerMultiprocessor = (int)g->threads_per_sm;
    p.regsPerBlock = (int)g->registers_per_block;
    p.regsPerMultiprocessor = (int)g->registers_per_sm;
    p.warpSize = 32;
    p.sharedMemPerBlock = g->shared_per_block;
    p.sharedMemPerMultiprocessor = g->shared_per_sm;
    p.numSms = (int)g->sms;
    p.sharedMemPerBlockOptin = g->shared_per_block_optin;
    p.reservedSharedMemPerBlock = g->shared_reserved;
    return p;
}

static struct occupancy_request random_request(const struct gpu *g)
{
    const u32 big = random_u32() % 2 ? 4096 : 120 * 1024;
    return (struct occupancy_request){
        .threads = 1 + random_u32() % 1024,
        .regs = random_u32() % 257,
        .static_shared = random_u32() % 3 ? random_u32() % 49152 : 0,
        .dynamic_shared = random_u32() % 2 ? random_u32() % big : 0,
        .carveout_kib = random_u32() % 2 ? -1 : (i32)g->shared_carveouts[random_u32() % g->ncarveouts],
        .barriers = random_u32() % 17,
    };
}

static u32 limit_of(int n) { return n == INT32_MAX ? OCCUPANCY_NO_LIMIT : (u32)n; }

static void compare_one(const struct gpu *g, struct occupancy_request q)
{
    const struct cudaOccDeviceProp p = device_of(g);
    struct cudaOccFuncAttributes a = {0};
    struct cudaOccDeviceState s = {0};
    cudaOccResult want = {0};
    /* The calculator takes a carve-out as a percentage; give it one that it rounds up to the same size. */
    s.carveoutConfig = q.carveout_kib < 0 ? -1 : (int)(q.carveout_kib * 1024ull * 100 / g->shared_per_sm);
    a.maxThreadsPerBlock = 1024;
    a.numRegs = (int)q.regs;
    a.sharedSizeBytes = q.static_shared;
    a.maxDynamicSharedSizeBytes = q.dynamic_shared;
    a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    a.numBlockBarriers = (int)q.barriers;
    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&want, &p, &a, &s, (int)q.threads, q.dynamic_shared),
                     CUDA_OCC_SUCCESS);
    const struct occupancy_result r = occupancy(g, &q);
    if (r.blocks_per_sm != (u32)want.activeBlocksPerMultiprocessor || r.limit_warps != limit_of(want.blockLimitWarps) ||
        r.limit_registers != limit_of(want.blockLimitRegs) || r.limit_shared != limit_of(want.blockLimitSharedMem) ||
        r.limit_blocks != limit_of(want.blockLimitBlocks) || r.limit_barriers != limit_of(want.blockLimitBarriers))
        fail_msg("%s: %u threads, %u regs, %u + %u bytes, carve-out %d, %u barriers: %u blocks (w %u r %u s %u b %u), "
                 "NVIDIA's calculator says %d (w %d r %d s %d b %d)",
                 g->id, q.threads, q.regs, q.static_shared, q.dynamic_shared, q.carveout_kib, q.barriers,
                 r.blocks_per_sm, r.limit_warps, r.limit_registers, r.limit_shared, r.limit_barriers,
                 want.activeBlocksPerMultiprocessor, want.blockLimitWarps, want.blockLimitRegs,
                 want.blockLimitSharedMem, want.blockLimitBarriers);
}

static void nvidias_calculator_agrees(void **state)
{
    (void)state;
    for (unsigned i = 0; gpu_builtin(i); i++) {
        const struct gpu g = load(gpu_builtin(i));
        for (int k = 0; k < 5000; k++)
            compare_one(&g, random_request(&g));
    }
}
#else
static void nvidias_calculator_agrees(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_worked_out_by_hand),
        cmocka_unit_test(occupancy_that_ncu_printed),
        cmocka_unit_test(warps_and_blocks_have_room_of_their_own),
        cmocka_unit_test(carve_outs_that_the_driver_chose),
        cmocka_unit_test(nvidias_calculator_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
