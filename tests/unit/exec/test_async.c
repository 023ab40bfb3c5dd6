/* mbarriers and bulk copies used wrongly: a deadlock, a fault with its reason; and waits that are let go. What they do
 * when they are used rightly is in mbarrier.ptx (tests/ptx/gen_programs.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

enum { THREADS = 64 };

static enum ls_status run(struct bench *b, const char *kernel, u64 param, struct exec_fault *f)
{
    return bench_run(
        b, &(struct run){.kernel = kernel, .grid = 1, .block = THREADS, .params = {param}, .max_seconds = 60}, f);
}

static void expect(const char *kernel, u64 bytes, enum exec_fault_kind kind, const char *text)
{
    struct bench b;
    struct exec_fault f = {0};
    bench_open(&b, "async.ptx");
    const u64 param = bytes ? (u64)bench_alloc(&b, bytes) : 0;
    assert_int_equal(run(&b, kernel, param, &f), LS_ERR_FAULT);
    if (f.kind != kind || !strstr(f.detail, text))
        fail_msg("%s: fault %d, %s", kernel, f.kind, f.detail);
    bench_close(&b);
}

static void test_deadlocks(void **state)
{
    (void)state;
    expect("never_complete", 0, FAULT_DEADLOCK,
           "warps 0-1, lanes 0xffffffff wait at `mbarrier.try_wait.parity.shared.b64 %p2, [mb], 0`");
    expect("never_complete", 0, FAULT_DEADLOCK, "(1 arrivals are missing)");
    expect("bytes_missing", 256, FAULT_DEADLOCK, "(0 arrivals and 256 bytes are missing)");
    expect("wait_across", 0, FAULT_DEADLOCK, "wait at `mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0`");
    expect("wait_across", 0, FAULT_DEADLOCK, "warp 1, lanes 0xffffffff wait at `bar.sync 0`");
}

static void test_misuse(void **state)
{
    (void)state;
    expect("not_initialised", 0, FAULT_MBARRIER, "there is no mbarrier at 0x0 of shared memory");
    expect("too_many", 0, FAULT_MBARRIER, "3 arrivals on an mbarrier that expects 1 more");
    expect("completes", 0, FAULT_MBARRIER, ".noComplete");
    expect("bad_count", 0, FAULT_MBARRIER, "not 0");
    expect("in_global", 64, FAULT_INVALID_SPACE, "");
    expect("copy_outside", 256, FAULT_ILLEGAL_ADDRESS, "256-byte allocation");
    expect("copy_misaligned", 256, FAULT_MISALIGNED, "");
    expect("cluster_twice", 0, FAULT_DEADLOCK, "warp 1, lanes 0xffffffff wait at `barrier.cluster.arrive`");
}

/* The kernel writes 1 for each thread, in any order of its warps. */
static void expect_ones(struct bench *b, const char *kernel, u32 threads)
{
    enum { SEEDS = 8 };
    u32 *out = bench_alloc(b, 4 * 256);
    for (u64 seed = 0; seed < SEEDS; seed++) {
        memset(out, 0, 4 * threads);
        bench_run_ok(
            b,
            &(struct run){
                .kernel = kernel, .grid = 1, .block = threads, .params = {(u64)out}, .seed = seed, .max_seconds = 60});
        for (u32 i = 0; i < threads; i++)
            assert_int_equal(out[i], 1);
    }
}

/* mbarrier.inval leaves a phase that is over to be seen; and who waits when a phase ends knows it, whatever becomes of
 * the object before its turn. Both as on an H200. */
static void test_phase_stays_over(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "async.ptx");
    for (u32 threads = 32; threads <= 256; threads *= 2) {
        expect_ones(&b, "late_look", threads);
        expect_ones(&b, "made_anew", threads);
    }
    expect_ones(&b, "two_phases", 64);
    bench_close(&b);
}

static void test_arrives_and_exits(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "async.ptx");
    u32 *out = bench_alloc(&b, 4);
    for (u64 seed = 0; seed < 4; seed++) {
        bench_run_ok(
            &b, &(struct run){.kernel = "cluster_exit", .grid = 1, .block = 96, .params = {(u64)out}, .seed = seed});
        assert_int_equal(*out, 2);
    }
    bench_close(&b);
}

static void test_parked_lanes_are_let_go(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "async.ptx");
    u32 *out = bench_alloc(&b, 4 * THREADS);
    bench_run_ok(
        &b,
        &(struct run){.kernel = "wait_in_warp", .grid = 1, .block = THREADS, .params = {(u64)out}, .max_seconds = 60});
    for (u32 i = 0; i < THREADS; i++)
        assert_int_equal(out[i], 1);
    bench_close(&b);
}

static void test_waits_may_end(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "async.ptx");
    u32 *out = bench_alloc(&b, 4 * THREADS);
    for (u64 seed = 0; seed < 3; seed++) {
        bench_run_ok(&b, &(struct run){.kernel = "give_up",
                                       .grid = 1,
                                       .block = THREADS,
                                       .params = {(u64)out},
                                       .seed = seed,
                                       .max_seconds = 60});
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(out[i], 50);
    }
    bench_close(&b);
}

static void run_late(struct bench *b, const char *kernel, u64 seed, const void *first, const void *second)
{
    bench_run_ok(b, &(struct run){.kernel = kernel,
                                  .grid = 1,
                                  .block = THREADS,
                                  .params = {(u64)first, (u64)second},
                                  .seed = seed,
                                  .max_seconds = 60});
}

/* A program that does not wait reads what was there before, and sends what is there later. */
static void test_copies_are_late(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "async.ptx");
    u32 *from = bench_alloc(&b, 4 * THREADS), *out = bench_alloc(&b, 8 * THREADS);
    for (u64 seed = 0; seed < 4; seed++) {
        for (u32 i = 0; i < THREADS; i++)
            from[i] = 100 + i;
        run_late(&b, "load_late", seed, from, out);
        for (u32 i = 0; i < THREADS; i++) {
            assert_int_equal(out[i], 7);
            assert_int_equal(out[THREADS + i], 100 + i);
        }
        run_late(&b, "store_late", seed, out, NULL);
        for (u32 i = 0; i < THREADS; i++)
            assert_int_equal(out[i], 1000 + i);
    }
    bench_close(&b);
}

static void test_groups(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "async.ptx");
    u32 *out = bench_alloc(&b, 48), *seen = bench_alloc(&b, 12);
    memset(out, 0, 48);
    run_late(&b, "groups", 0, out, seen);
    for (u32 k = 0; k < 3; k++) {
        assert_int_equal(seen[k], k == 0);
        assert_int_equal(out[4 * k], 1);
    }
    bench_close(&b);
}

static void test_nobody_waits(void **state)
{
    enum { COPIES = 1000 };
    struct bench b;
    (void)state;
    bench_open(&b, "async.ptx");
    u32 *out = bench_alloc(&b, 16 * COPIES);
    memset(out, 0, 16 * COPIES);
    run_late(&b, "many", 0, out, NULL);
    for (u32 k = 0; k < COPIES; k++)
        assert_int_equal(out[4 * k], 5);
    memset(out, 0, 16);
    run_late(&b, "polled", 0, out, NULL);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlocks),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_phase_stays_over),
        cmocka_unit_test(test_arrives_and_exits),
        cmocka_unit_test(test_parked_lanes_are_let_go),
        cmocka_unit_test(test_waits_may_end),
        cmocka_unit_test(test_copies_are_late),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_nobody_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
