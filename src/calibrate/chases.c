/* chases.c - chains of loads through the caches to DRAM, constants, textures. */
#include <stdlib.h>
#include <string.h>

#include "calibrate/experiments.h"

#define MIB ((u64)1 << 20)

/* ---- chains of loads ---- */

static bool make_ring(struct bench *b, u64 at, u64 places, u64 stride)
{
    const struct bench_launch l = {
        "memory", "ring", (u32)BENCH_MIN((places + 255) / 256, (u64)1024), 256, 0, false, {.p = {at, places, stride}}};
    struct bench_time ignored;
    return bench_run(b, &l, &ignored);
}

/* Reads `bytes` at `at`, so that L2 has them and little else. */
static bool sweep(struct bench *b, u64 at, u64 bytes)
{
    const u32 blocks = (u32)bench_scaled(b, b->sms, 1);
    const u64 turn = (u64)blocks * 1024 * 16 * 4;
    const struct bench_launch l = {"memory", "read_l2", blocks, 1024, 0, false, {.p = {at, bytes / turn * turn, 1, 0}}};
    struct bench_time ignored;
    return bench_run(b, &l, &ignored);
}

struct chase {
    const char *kernel;
    u64 warm, warm_steps, at, steps;
};

static bool chase(struct bench *b, const struct chase *c, f64 *cycles, f64 *spread)
{
    const struct bench_launch l = {
        "memory", c->kernel, 1, 1, 0, false, {.p = {c->warm, c->warm_steps, c->at, c->steps}}};
    struct bench_time t;
    if (!bench_median(b, &l, false, &t, spread))
        return false;
    *cycles = t.cycles / (f64)c->steps;
    return true;
}

bool measure_chain(struct bench *b, u64 at, const char *what, u32 threads, u64 lane, const char *pattern)
{
    const u64 steps = bench_scaled(b, 512, 16), words = 4096;
    const struct bench_launch fill = {"memory", "own_addresses", 16, 256, 0, false, {.p = {at, words}}};
    const struct bench_launch l = {"memory", arena_printf(b->mem, "chain_%s", what), 1, threads, 0,
                                   false,    {.p = {at, 0, 0, steps, lane, 0}}};
    struct bench_time t;
    f64 spread;
    if (!bench_run(b, &fill, &t) || !bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, t.cycles / (f64)steps, "cycles", spread, "latency_%s%s", what, pattern);
    return true;
}

static bool chase_l1(struct bench *b, u64 at)
{
    CUfunction f;
    if (!bench_function(b, "memory", "chase_l1", &f))
        return false;
    b->cuda.function_set(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0);
    static const u32 kib[] = {4, 16, 32, 64, 96, 128, 160, 192, 208, 224, 240, 248, 256, 288, 320, 512, 1024};
    f64 cycles, spread, hit = 0, largest = 0;
    for (u32 i = 0; i < bench_scaled(b, LS_ARRAY_LEN(kib), 3); i++) {
        /* Its places need not be a power of two: so many of a line each, one after the other. */
        const u64 places = kib[i] * 1024 / 128;
        u64 *ring = malloc(places * 128);
        if (!ring)
            return bench_ok(b, CUDA_ERROR_OUT_OF_MEMORY);
        memset(ring, 0, places * 128);
        for (u64 k = 0; k < places; k++)
            ring[k * 16] = at + (k + 1) % places * 128;
        const bool good = bench_ok(b, b->cuda.to_device(at, ring, places * 128));
        free(ring);
        const struct chase c = {"chase_l1", at, 2 * places, at, BENCH_MAX(2 * places, (u64)512)};
        if (!good || !chase(b, &c, &cycles, &spread))
            return false;
        bench_row(b, cycles, "cycles", spread, "chase_l1_%u_KiB", kib[i]);
        hit = i ? hit : cycles;
        largest = cycles < 1.15 * hit ? kib[i] : largest;
    }
    bench_row(b, hit, "cycles", 0, "latency_l1");
    if (!measure_chain(b, at, "load", 32, 0, "_warp_one_address") || !measure_chain(b, at, "load", 32, 8, "_warp") ||
        !measure_chain(b, at, "load", 32, 32, "_warp_a_sector_each") ||
        !measure_chain(b, at, "load", 32, 128, "_warp_a_line_each"))
        return false;
    bench_row(b, largest, "KiB", 0, "l1_size");
    return true;
}

/* Twice round a ring that L2 holds. */
static bool chase_l2(struct bench *b, u64 at)
{
    f64 cycles, spread;
    const u64 places = bench_scaled(b, 8192, 512);
    const struct chase c = {"chase_l2", at, places, at, places};
    if (!make_ring(b, at, places, 128) || !chase(b, &c, &cycles, &spread))
        return false;
    bench_row(b, cycles, "cycles", spread, "latency_l2");
    return true;
}

/* Single lines, as far from this SM as they happen to be. */
static bool l2_sides(struct bench *b, u64 at)
{
    enum { LINES = 64 };
    const u32 n = (u32)bench_scaled(b, LINES, 2);
    const struct bench_launch fill = {"memory", "own_addresses", 16, 256, 0, false, {.p = {at, (u64)n * 512}}};
    struct bench_time t;
    f64 cycles[LINES];
    if (!bench_run(b, &fill, &t))
        return false;
    for (u32 i = 0; i < n; i++) {
        const u64 line = at + 4096ull * i, steps = bench_scaled(b, 128, 16);
        const struct bench_launch l = {"memory", "chase_l2", 1, 1, 0, false, {.p = {line, 16, line, steps}}};
        if (!bench_run(b, &l, &t))
            return false;
        cycles[i] = t.cycles / (f64)steps;
    }
    const f64 middle = bench_middle(cycles, n);
    bench_row(b, cycles[0], "cycles", 0, "latency_l2_nearest_line");
    bench_row(b, cycles[n / 4], "cycles", 0, "latency_l2_quarter_of_lines");
    bench_row(b, middle, "cycles", 0, "latency_l2_middle_line");
    bench_row(b, cycles[3 * n / 4], "cycles", 0, "latency_l2_three_quarters_of_lines");
    bench_row(b, cycles[n - 1], "cycles", 0, "latency_l2_farthest_line");
    return true;
}

/* Lines that no cache has; their pages' translations are there, for the lines beside them were read before. */
static bool chase_dram(struct bench *b, u64 at, u64 bytes)
{
    const u64 places = bench_scaled(b, 65536, 512), steps = bench_scaled(b, 8192, 256), stride = bytes / 2 / places;
    f64 each[BENCH_RUNS];
    const u32 runs = b->request->gpu ? BENCH_RUNS : 1;
    for (u32 i = 0; i < runs; i++) {
        const u64 ring = at + 256 * i, beside = ring + 2048;
        const struct bench_launch l = {"memory", "chase_l2", 1, 1, 0, false, {.p = {beside, steps, ring, steps}}};
        struct bench_time t;
        if (!make_ring(b, ring, places, stride) || !make_ring(b, beside, places, stride) ||
            !sweep(b, at + bytes / 2, bytes / 2) || !bench_run(b, &l, &t))
            return false;
        each[i] = t.cycles / (f64)steps;
    }
    const f64 cycles = bench_middle(each, runs);
    bench_row(b, cycles, "cycles", bench_spread(each, runs), "latency_dram");
    return true;
}

/* One line of each 2 MiB: in L2 all of them, but the translations of so many pages are in no TLB at some size. */
static bool chase_pages(struct bench *b, u64 at, u64 bytes)
{
    const u64 stride = 2 * MIB + 128;
    f64 cycles, spread;
    for (u64 places = 4; places * stride <= bytes; places *= 2) {
        if (!make_ring(b, at, places, stride))
            return false;
        const u64 steps = BENCH_MAX(places, (u64)1024);
        const struct chase c = {"chase_l2", at, steps, at, steps};
        if (!chase(b, &c, &cycles, &spread))
            return false;
        bench_row(b, cycles, "cycles", spread, "chase_pages_%u_MiB", (u32)(places * 2));
    }
    return true;
}

static bool chases_in(struct bench *b, u64 at, u64 bytes)
{
    return chase_l1(b, at) && chase_l2(b, at) && l2_sides(b, at) && chase_dram(b, at, BENCH_MIN(bytes, 512 * MIB)) &&
           chase_pages(b, at, bytes);
}

bool measure_chases(struct bench *b)
{
    CUdeviceptr at = 0;
    u64 bytes = bench_scaled(b, 33 * 1024 * MIB, 16 * MIB);
    while (bytes >= 8 * MIB && b->cuda.alloc(&at, bytes) != CUDA_SUCCESS)
        bytes /= 2;
    if (!at)
        return bench_ok(b, CUDA_ERROR_OUT_OF_MEMORY);
    const bool good = chases_in(b, at, bytes);
    if (!b->hung)
        b->cuda.free(at);
    return good;
}

/* ---- constants ---- */

enum { CONSTANT_WORDS = 16384, CONSTANT_STRIDE = 16 }; /* words of the bank; from one place of the ring to the next */

/* A ring through the first so many words of constant memory. */
static bool constant_ring(struct bench *b, u32 n)
{
    static u32 words[CONSTANT_WORDS];
    CUdeviceptr at;
    for (u32 i = 0; i < CONSTANT_WORDS; i++)
        words[i] = (i + CONSTANT_STRIDE) % n;
    return bench_global(b, "memory", "constants", &at) && bench_ok(b, b->cuda.to_device(at, words, sizeof words));
}

/* Cycles a step, of a walk that was walked before and of the first one. Each place is in a sector of its own; four of them
 * are in one line of 256 bytes. */
static bool constant_chase(struct bench *b, u32 kib, f64 *again, f64 *first)
{
    const u32 n = kib * 256, steps = n / CONSTANT_STRIDE;
    const struct bench_launch l = {"memory", "chase_constant", 1, 32, 0, false, {.p = {0, n, steps}}};
    struct bench_time t;
    f64 spread;
    if (!constant_ring(b, n) || !bench_median(b, &l, false, &t, &spread))
        return false;
    *again = t.cycles / steps - b->alu; /* the index becomes an address */
    *first = t.end0 / steps - b->alu;
    bench_row(b, *again, "cycles", spread, "chase_constant_%u_KiB", kib);
    bench_row(b, *first, "cycles", 0, "chase_constant_%u_KiB_first", kib);
    return true;
}

bool measure_constants(struct bench *b)
{
    enum { SIZES = 7 };
    f64 again[SIZES], first[SIZES];
    for (u32 i = 0; i < SIZES; i++)
        if (!constant_chase(b, 1u << i, &again[i], &first[i]))
            return false;
    u32 held = 0;
    while (held + 1 < SIZES && again[held + 1] < (again[0] + again[SIZES - 1]) / 2)
        held++;
    bench_row(b, again[0], "cycles", 0, "latency_constant");
    bench_row(b, 1024 << held, "bytes", 0, "constant_cache");
    bench_row(b, again[SIZES - 1], "cycles", 0, "latency_constant_second_cache");
    bench_row(b, 4 * first[SIZES - 1] - 3 * again[SIZES - 1], "cycles", 0, "latency_constant_miss");
    return true;
}

/* ---- textures ---- */

static bool texture_of_zeros(struct bench *b, CUarray *array, CUtexObject *texture)
{
    enum { SIDE = 64 };
    static const u32 zeros[SIDE * SIDE];
    const CUDA_ARRAY_DESCRIPTOR d = {
        .Width = SIDE, .Height = SIDE, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    if (!bench_ok(b, b->cuda.array_create(array, &d)))
        return false;
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = zeros,
                                .srcPitch = SIDE * 4,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = *array,
                                .WidthInBytes = SIDE * 4,
                                .Height = SIDE};
    const CUDA_RESOURCE_DESC from = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = *array};
    const CUDA_TEXTURE_DESC how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                                   .filterMode = CU_TR_FILTER_MODE_POINT,
                                   .flags = CU_TRSF_READ_AS_INTEGER};
    return bench_ok(b, b->cuda.copy_2d(&copy)) && bench_ok(b, b->cuda.texture_create(texture, &from, &how, NULL));
}

bool measure_textures(struct bench *b)
{
    CUarray array;
    CUtexObject texture;
    const u64 steps = bench_scaled(b, 1024, 32);
    if (!texture_of_zeros(b, &array, &texture))
        return false;
    const struct bench_launch one = {"memory", "chase_texture", 1, 32, 0, false, {.p = {texture, steps}}};
    const struct bench_launch full = {
        "memory", "chase_texture", (u32)bench_scaled(b, b->sms, 1), (u32)bench_scaled(b, 1024, 64),
        0,        false,           {.p = {texture, steps}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &one, false, &t, &spread))
        return false;
    bench_row(b, t.cycles / (f64)steps, "cycles", spread, "latency_texture");
    if (!bench_median(b, &full, false, &t, &spread))
        return false;
    bench_row(b, (f64)steps * full.threads / t.cycles, "lanes a clock and SM", spread, "rate_texture");
    b->cuda.texture_destroy(texture);
    b->cuda.array_destroy(array);
    return true;
}
