/* atomics.c - atomics on global memory, and fences. */
#include "calibrate/experiments.h"

#define MIB ((u64)1 << 20)
#define RANDOM_BYTES (256 * MIB)

struct pattern {
    const char *name;
    u64 lane, warp, mask, lanes, steps;
};

static bool atomics_of(struct bench *b, u64 at, const char *kind, const struct pattern *p, u32 blocks)
{
    const u64 steps = bench_scaled(b, p->steps, 8);
    const u32 threads = (u32)bench_scaled(b, 1024, 64);
    const struct bench_launch l = {"atomics",
                                   arena_printf(b->mem, "atomics_%s", kind),
                                   blocks,
                                   threads,
                                   0,
                                   false,
                                   {.p = {at, p->lane, p->warp, p->mask, steps, p->lanes}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, (f64)(steps * blocks * threads / 32 * p->lanes) / t.cycles, "lanes a clock", spread, "atomics_%s_%s%s",
              kind, p->name, blocks == 1 ? "_one_sm" : "");
    return true;
}

static bool atomics_in(struct bench *b, u64 at)
{
    static const char *const kinds[] = {"red_u32", "red_u64", "red_f32", "red_f64",     "red_max",
                                        "add_u32", "add_f32", "cas_u32", "exchange_u32"};
    static const struct pattern patterns[] = {
        {"one_address", 0, 0, 128, 32, 8},
        {"one_address_one_lane", 0, 0, 128, 1, 32},
        {"one_line", 4, 0, 128, 32, 16},
        {"line_a_warp", 4, 128, 16 * MIB, 32, 64},
        {"line_a_lane", 128, 4096, 32 * MIB, 32, 16},
    };
    for (u32 k = 0; k < LS_ARRAY_LEN(kinds); k++)
        for (u32 i = 0; i < LS_ARRAY_LEN(patterns); i++)
            if (!atomics_of(b, at, kinds[k], &patterns[i], (u32)bench_scaled(b, b->sms, 2)))
                return false;
    return atomics_of(b, at, "red_u32", &patterns[0], 1) && atomics_of(b, at, "red_u32", &patterns[3], 1) &&
           atomics_of(b, at, "red_u32", &patterns[4], 1) && atomics_of(b, at, "add_u32", &patterns[3], 1);
}

/* Words that are in no cache: their sectors come from DRAM, and go back. */
static bool random_atomics(struct bench *b, u64 at)
{
    const u64 steps = bench_scaled(b, 32, 1), blocks = bench_scaled(b, 2 * b->sms, 2);
    const u32 threads = (u32)bench_scaled(b, 1024, 64);
    const struct bench_launch l = {
        "atomics", "atomics_random", (u32)blocks, threads, 0, false, {.p = {at, 0, 0, RANDOM_BYTES, steps}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, (f64)(steps * blocks * threads) / (t.ns * 1e-3 * b->mhz), "lanes a clock", spread,
              "atomics_red_u32_random");
    return true;
}

/* All blocks try to change one word: from one success to the next. */
static bool swap_loops(struct bench *b, u64 at, u32 blocks)
{
    const u64 steps = bench_scaled(b, 64, 2);
    const struct bench_launch l = {"atomics", "atomics_swap_loop", blocks, 32, 0, false, {.p = {at, 0, 0, 0, steps}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, t.ns * 1e-3 * b->mhz / (f64)(steps * blocks), "cycles", spread, "swap_loops_of_%s",
              blocks == 1 ? "one_block" : "all_sms");
    return true;
}

bool measure_atomics(struct bench *b)
{
    CUdeviceptr at;
    if (!bench_alloc(b, RANDOM_BYTES, &at))
        return false;
    const bool good = atomics_in(b, at) && random_atomics(b, at) && swap_loops(b, at, 1) &&
                      swap_loops(b, at, (u32)bench_scaled(b, b->sms, 2));
    if (!b->hung)
        b->cuda.free(at);
    return good;
}

/* ---- chains of atomics and fences ---- */

bool measure_fences(struct bench *b)
{
    CUdeviceptr at;
    if (!bench_alloc(b, MIB, &at))
        return false;
    static const char *const fences[] = {"fence", "store_fence", "store_membar", "store_fence_cta", "store_fence_sys"};
    static const char *const atomics[] = {"atomic_add", "atomic_exchange", "atomic_cas"};
    bool good = true;
    for (u32 i = 0; good && i < LS_ARRAY_LEN(atomics); i++)
        good = measure_chain(b, at, atomics[i], 1, 0, "") && measure_chain(b, at, atomics[i], 32, 8, "_warp") &&
               measure_chain(b, at, atomics[i], 32, 0, "_warp_one_address");
    for (u32 i = 0; good && i < LS_ARRAY_LEN(fences); i++)
        good = measure_chain(b, at, fences[i], 1, 0, "");
    if (!b->hung)
        b->cuda.free(at);
    return good;
}
