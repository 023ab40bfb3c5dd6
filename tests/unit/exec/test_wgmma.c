/* When products of warpgroups are done, and descriptors that are wrong. What they compute is in sm_90a_wgmma_*.ptx
 * (tests/ptx/gen_wgmma.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

enum { THREADS = 128, ONES = 0x01010101, TWOS = 0x02020202, K = 32 };
enum { WAITS, MORE = 2, NO_COMMIT, EARLY, IN_FUNCTION, MANY };

static u32 product_of(u32 word) { return K * (word & 0xff) * (word & 0xff); }

static void expect(struct bench *b, u32 how, u32 want)
{
    enum { SEEDS = 4 };
    u32 *out = bench_alloc(b, 4 * THREADS);
    for (u64 seed = 0; seed < SEEDS; seed++) {
        memset(out, 0, 4 * THREADS);
        bench_run_ok(b, &(struct run){.kernel = "late",
                                      .grid = 1,
                                      .block = THREADS,
                                      .dynamic_shared = 256,
                                      .seed = seed,
                                      .params = {(u64)out, ONES, TWOS, how}});
        for (u32 k = 0; k < THREADS; k++)
            if (out[k] != want)
                fail_msg("%u, seed %u, thread %u: %u, not %u", how, (unsigned)seed, k, out[k], want);
    }
}

static void test_late(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, "wgmma.ptx");
    expect(&b, WAITS, 1 + product_of(TWOS)); /* shared memory is read when it is waited for */
    expect(&b, MORE, 1 + product_of(ONES));  /* which a wait that leaves a group is not */
    expect(&b, NO_COMMIT, 1);
    expect(&b, EARLY, 1 + product_of(ONES));
    expect(&b, IN_FUNCTION, 7 + product_of(ONES));
    expect(&b, MANY, 1 + 1000 * product_of(ONES));
    bench_close(&b);
}

static void test_together(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, "wgmma.ptx");
    u32 *out = bench_alloc(&b, 4 * THREADS);
    for (u64 seed = 0; seed < 16; seed++) {
        memset(out, 0, 4 * THREADS);
        bench_run_ok(&b, &(struct run){.kernel = "together",
                                       .grid = 1,
                                       .block = THREADS,
                                       .dynamic_shared = 256,
                                       .seed = seed,
                                       .params = {(u64)out}});
        for (u32 k = 0; k < THREADS; k++)
            assert_int_equal(out[k], product_of(ONES));
    }
    bench_close(&b);
}

static void expect_fault(u64 where, u32 threads, enum exec_fault_kind kind, u64 address)
{
    struct bench b;
    struct exec_fault f = {0};
    bench_open(&b, "wgmma.ptx");
    assert_int_equal(
        bench_run(
            &b,
            &(struct run){.kernel = "outside", .grid = 1, .block = threads, .dynamic_shared = 4096, .params = {where}},
            &f),
        LS_ERR_FAULT);
    assert_int_equal(f.kind, kind);
    assert_int_equal(f.address, address);
    assert_int_equal(f.thread[0], 0);
    bench_close(&b);
}

static void test_faults(void **state)
{
    (void)state;
    expect_fault(4096 / 16, THREADS, FAULT_ILLEGAL_ADDRESS, 4096 + 112);            /* begins behind the end */
    expect_fault((4096 - 112) / 16, THREADS, FAULT_ILLEGAL_ADDRESS, 4096);          /* ends there */
    expect_fault((u64)4096 / 16 << 16, THREADS, FAULT_ILLEGAL_ADDRESS, 4096 + 112); /* the second half of k does */
    expect_fault(0, 96, FAULT_ILLEGAL_INSTRUCTION, 0);                              /* no whole warpgroup */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
