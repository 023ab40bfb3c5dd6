/* launch.c - launches, and what kernels ask of the system. */
#include <stdlib.h>

#include "calibrate/experiments.h"

/* ---- launches ---- */

/* ns a launch, of n between two events. */
static bool launch_ns(struct bench *b, const struct bench_launch *l, u32 n, f64 *ns, f64 *spread)
{
    f64 each[BENCH_RUNS], ms;
    const u32 runs = b->request->gpu ? BENCH_RUNS : 1;
    if (!bench_events(b, l, 2, &ms)) /* loads it */
        return false;
    for (u32 i = 0; i < runs; i++) {
        if (!bench_events(b, l, n, &ms))
            return false;
        each[i] = ms * 1e6 / n;
    }
    *ns = bench_middle(each, runs);
    *spread = bench_spread(each, runs);
    return true;
}

static bool launch_row(struct bench *b, const struct bench_launch *l, u32 n, const char *name)
{
    f64 ns, spread;
    if (!launch_ns(b, l, (u32)bench_scaled(b, n, 1), &ns, &spread))
        return false;
    bench_row(b, ns, "ns", spread, "launch_%s", name);
    return true;
}

/* Grids of so many empty blocks, one after the other; what a further block costs. */
static bool blocks_of(struct bench *b, u32 threads)
{
    const u32 blocks[] = {1, b->sms, 10000, 100000, 1000000};
    f64 ns[5] = {0}, spread;
    for (u32 i = 0; i < bench_scaled(b, 5, 2); i++) {
        const struct bench_launch l = {"block", "empty", blocks[i], threads, 0, false, {0}};
        if (!launch_ns(b, &l, (u32)bench_scaled(b, i < 3 ? 100 : 10, 1), &ns[i], &spread))
            return false;
        bench_row(b, ns[i], "ns", spread, "launch_%u_blocks_of_%u", blocks[i], threads);
    }
    if (b->mhz > 0 && ns[4] > ns[3])
        bench_row(b, 900000 / ((ns[4] - ns[3]) * 1e-3 * b->mhz), "blocks a clock", 0, "block_starts_of_%u", threads);
    return true;
}

/* By the blocks' own clocks: from the first one's begin to the last one's. */
static bool starts(struct bench *b, u32 blocks, u32 threads)
{
    const struct bench_launch l = {"block", "starts", blocks, threads, 0, false, {0}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, true, &t, &spread))
        return false;
    bench_row(b, t.ns, "ns", spread, "starts_%u_blocks_of_%u", blocks, threads);
    return true;
}

static int by_sm_and_cycle(const void *x, const void *y)
{
    const struct bench_record *a = x, *b = y;
    if (a->sm != b->sm)
        return (a->sm > b->sm) - (a->sm < b->sm);
    return (a->cycles > b->cycles) - (a->cycles < b->cycles);
}

/* An SM that has room for one block: from one's begin to the next one's. */
static bool turnover(struct bench *b, u32 threads)
{
    const u32 most = (u32)b->to->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN];
    const u32 blocks = (u32)bench_scaled(b, 20 * b->sms, 2 * b->sms);
    const struct bench_launch l = {"block", "starts", blocks, threads, most, false, {0}};
    struct bench_time t;
    if (!bench_run(b, &l, &t) || !bench_run(b, &l, &t))
        return false;
    const u32 n = BENCH_MIN(blocks, (u32)BENCH_RECORDS);
    f64 *between = arena_array(b->mem, f64, n);
    u32 pairs = 0;
    qsort(b->records, n, sizeof *b->records, by_sm_and_cycle);
    for (u32 i = 1; i < n; i++)
        if (b->records[i].sm == b->records[i - 1].sm)
            between[pairs++] = (f64)(b->records[i].cycles - b->records[i - 1].cycles);
    if (pairs)
        bench_row(b, bench_middle(between, pairs), "cycles", bench_spread(between, pairs), "block_turnover_of_%u",
                  threads);
    return true;
}

/* Empty blocks that need all of an SM's shared memory, one after the other: cycles from one to the next. */
static void turnover_of_empty(struct bench *b, u64 blocks)
{
    const struct calibrate_row *one = calibrate_find(b->to, "launch_all_shared_memory"),
                               *many = calibrate_find(b->to, "launch_10000_blocks_all_shared_memory");
    const u64 turns = (blocks + b->sms - 1) / b->sms;
    if (one && many && b->mhz > 0 && turns > 1 && many->value > one->value)
        bench_row(b, (many->value - one->value) * 1e-3 * b->mhz / (f64)(turns - 1), "cycles", 0,
                  "block_turnover_empty");
}

bool measure_launches(struct bench *b)
{
    const u32 most = (u32)b->to->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN];
    const u32 all = (u32)bench_scaled(b, b->sms, 2), many = (u32)bench_scaled(b, 10000, 2);
    const struct bench_launch one = {"block", "empty", 1, 32, 0, false, {0}};
    const struct bench_launch large = {"block", "empty_large", 1, 32, 0, false, {0}};
    const struct bench_launch shared = {"block", "empty_shared", 1, 32, most, false, {0}};
    const struct bench_launch shared_many = {"block", "empty_shared", many, 32, most, false, {0}};
    const struct bench_launch shared_half = {"block", "empty_shared", many, 32, most / 2 & ~1023u, false, {0}};
    const struct bench_launch together = {"block", "empty", all, 32, 0, true, {0}};
    if (!launch_row(b, &one, 1, "alone_between_events") || !launch_row(b, &one, 1000, "in_a_row") ||
        !launch_row(b, &large, 1000, "4_KB_of_parameters") || !launch_row(b, &shared, 100, "all_shared_memory") ||
        !launch_row(b, &shared_many, 20, "10000_blocks_all_shared_memory") ||
        !launch_row(b, &shared_half, 20, "10000_blocks_half_shared_memory") ||
        !launch_row(b, &together, 100, "cooperative"))
        return false;
    turnover_of_empty(b, many);
    if (!turnover(b, 32) || !turnover(b, 256) || !turnover(b, 1024))
        return false;
    return blocks_of(b, 32) && blocks_of(b, 256) && blocks_of(b, 1024) && starts(b, all, 32) && starts(b, all, 1024) &&
           starts(b, (u32)bench_scaled(b, 16384, 4), 32) && starts(b, (u32)bench_scaled(b, 16384, 4), 256);
}

/* ---- the system ---- */

bool measure_heap(struct bench *b)
{
    static const u32 threads[] = {1, 32, 1024};
    for (u32 i = 0; i < LS_ARRAY_LEN(threads); i++) {
        const u64 rounds = bench_scaled(b, 16, 1);
        const struct bench_launch l = {"device", "heap", 1, 1024, 0, false, {.p = {threads[i], rounds, 64}}};
        struct bench_time t;
        f64 spread, ns, ignored;
        if (!bench_median(b, &l, false, &t, &spread))
            return false;
        bench_row(b, t.cycles / (f64)rounds, "cycles", spread, "malloc_free_%u_threads", threads[i]);
        if (!launch_ns(b, &l, 1, &ns, &ignored))
            return false;
        bench_row(b, ns, "ns", ignored, "launch_malloc_free_%u_threads", threads[i]);
    }
    return true;
}

bool measure_print(struct bench *b)
{
    static const u32 threads[] = {0, 1, 32, 1000};
    for (u32 i = 0; i < LS_ARRAY_LEN(threads); i++) {
        const struct bench_launch l = {"device", "print", 1, 1024, 0, false, {.p = {threads[i], 1}}};
        struct bench_time t;
        f64 spread, ns, ignored;
        if (!bench_median(b, &l, false, &t, &spread))
            return false;
        bench_row(b, t.cycles, "cycles", spread, "printf_%u_threads", threads[i]);
        if (!launch_ns(b, &l, 1, &ns, &ignored))
            return false;
        bench_row(b, ns, "ns", ignored, "launch_printf_%u_threads", threads[i]);
    }
    return true;
}
