/* Addresses of shared memory in clusters: they have the block's rank, as an H200's (tests/hw/h200/clusters.txt). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

static void test_addresses(void **state)
{
    (void)state;
    enum { BLOCKS = 48, THREADS = 32 };
    static const u32 sizes[] = {2, 4, 8, 16};
    struct bench b;
    bench_open(&b, "cluster.ptx");
    u32 *out = bench_alloc(&b, 4 * BLOCKS * THREADS);
    for (size_t k = 0; k < LS_ARRAY_LEN(sizes); k++)
        for (unsigned workers = 1; workers <= 4; workers *= 2) {
            memset(out, 0, 4 * BLOCKS * THREADS);
            bench_run_ok(&b, &(struct run){.kernel = "addresses",
                                           .grid = BLOCKS,
                                           .block = THREADS,
                                           .cluster = sizes[k],
                                           .dynamic_shared = 64,
                                           .workers = workers,
                                           .params = {(u64)out}});
            for (u32 n = 0; n < BLOCKS * THREADS; n++)
                if (out[n])
                    fail_msg("clusters of %u, block %u, thread %u: 0x%x", sizes[k], n / THREADS, n % THREADS, out[n]);
        }
    bench_close(&b);
}

/* A descriptor made of an address as it is has the rank in its leading offset: 256 bytes for each block in front. */
static void test_descriptor(void **state)
{
    (void)state;
    enum { BLOCKS = 4, THREADS = 128, ONES = 32, MIXED = 16 + 16 * 4 };
    struct bench b;
    bench_open(&b, "wgmma.ptx");
    u32 *out = bench_alloc(&b, 4 * BLOCKS * THREADS);
    for (u32 cut = 0; cut < 2; cut++) {
        bench_run_ok(&b, &(struct run){.kernel = "ranked",
                                       .grid = BLOCKS,
                                       .block = THREADS,
                                       .cluster = BLOCKS,
                                       .dynamic_shared = 1024,
                                       .params = {(u64)out, cut}});
        for (u32 n = 0; n < BLOCKS * THREADS; n++)
            assert_int_equal(out[n], cut || n < THREADS ? ONES : MIXED);
    }
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses), cmocka_unit_test(test_descriptor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
