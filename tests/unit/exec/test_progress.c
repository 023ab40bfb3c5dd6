/* Forward progress, barriers, deadlock and the watchdog: what facts about independent thread scheduling promise. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

/* Workers that wait for each other take turns on busy cores: what ends by itself gets long to do so. */
enum { HANGS_S = 240 };

static const unsigned worker_counts[] = {1, 2, 5};

static void test_spin_lock_in_a_warp(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    for (unsigned k = 0; k < LS_ARRAY_LEN(worker_counts); k++) {
        u32 *lock = bench_alloc(&b, 4), *counter = bench_alloc(&b, 4);
        bench_run_ok(&b, &(struct run){.kernel = "spin_lock",
                                       .grid = 3,
                                       .block = 80,
                                       .workers = worker_counts[k],
                                       .params = {(u64)lock, (u64)counter},
                                       .max_seconds = HANGS_S});
        assert_int_equal(*counter, 240);
        assert_int_equal(*lock, 0);
    }
    bench_close(&b);
}

static void test_look_back(void **state)
{
    enum { BLOCKS = 500 };
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    for (unsigned k = 0; k < LS_ARRAY_LEN(worker_counts); k++) {
        u32 *sums = bench_alloc(&b, 4 * BLOCKS), *values = bench_alloc(&b, 4 * BLOCKS), sum = 1;
        for (u32 i = 0; i < BLOCKS; i++)
            values[i] = i * i + 3;
        bench_run_ok(&b, &(struct run){.kernel = "look_back",
                                       .grid = BLOCKS,
                                       .block = 1,
                                       .workers = worker_counts[k],
                                       .params = {(u64)sums, (u64)values},
                                       .max_seconds = HANGS_S});
        for (u32 i = 0; i < BLOCKS; i++)
            assert_int_equal(sums[i], sum += values[i]);
    }
    bench_close(&b);
}

static void test_look_ahead(void **state)
{
    enum { BLOCKS = 100 };
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    for (unsigned k = 0; k < LS_ARRAY_LEN(worker_counts); k++) {
        u32 *sums = bench_alloc(&b, 4 * BLOCKS);
        bench_run_ok(&b, &(struct run){.kernel = "look_ahead",
                                       .grid = BLOCKS,
                                       .block = 1,
                                       .workers = worker_counts[k],
                                       .params = {(u64)sums, BLOCKS - 1},
                                       .max_seconds = HANGS_S});
        for (u32 i = 0; i < BLOCKS; i++)
            assert_int_equal(sums[i], BLOCKS - i + 1);
    }
    bench_close(&b);
}

/* Nothing but turns to take: a worker more makes this no faster, and must not make it slower by much. */
static void test_tickets(void **state)
{
    enum { BLOCKS = 2000, SECONDS = 120 };
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    for (unsigned k = 0; k < LS_ARRAY_LEN(worker_counts); k++) {
        u32 *tickets = bench_alloc(&b, 12);
        bench_run_ok(&b, &(struct run){.kernel = "tickets",
                                       .grid = BLOCKS,
                                       .block = 1,
                                       .workers = worker_counts[k],
                                       .params = {(u64)tickets},
                                       .max_seconds = SECONDS});
        for (u32 i = 0; i < 3; i++)
            assert_int_equal(tickets[i], BLOCKS);
    }
    bench_close(&b);
}

static void test_poll_between_barriers(void **state)
{
    enum { BLOCKS = 100 };
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    for (unsigned k = 0; k < LS_ARRAY_LEN(worker_counts); k++) {
        u32 *flag = bench_alloc(&b, 4);
        bench_run_ok(&b, &(struct run){.kernel = "poll_between_barriers",
                                       .grid = BLOCKS,
                                       .block = 64,
                                       .workers = worker_counts[k],
                                       .params = {(u64)flag, BLOCKS - 1},
                                       .max_seconds = HANGS_S});
        assert_int_equal(*flag, 1);
    }
    bench_close(&b);
}

static void test_producer_and_consumer(void **state)
{
    enum { ROUNDS = 50 };
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    for (u64 seed = 0; seed < 4; seed++) {
        u32 *out = bench_alloc(&b, 128);
        bench_run_ok(&b, &(struct run){.kernel = "produce_consume",
                                       .grid = 1,
                                       .block = 64,
                                       .seed = seed,
                                       .params = {(u64)out, ROUNDS},
                                       .max_seconds = HANGS_S});
        for (u32 i = 0; i < 32; i++)
            assert_int_equal(out[i], 32 * (ROUNDS * (ROUNDS - 1) / 2) + ROUNDS * i);
    }
    bench_close(&b);
}

struct side {
    struct bench *b;
    u64 mine, theirs;
    enum ls_status status;
};

static void *run_side(void *arg)
{
    struct side *s = arg;
    struct exec_fault f;
    s->status = bench_run(
        s->b,
        &(struct run){
            .kernel = "handshake", .grid = 1, .block = 1, .params = {s->mine, s->theirs}, .max_seconds = HANGS_S},
        &f);
    return NULL;
}

static void test_two_kernels_wait_for_each_other(void **state)
{
    struct bench b;
    pthread_t other;
    (void)state;
    bench_open(&b, "progress.ptx");
    u32 *flags = bench_alloc(&b, 512);
    struct side left = {&b, (u64)&flags[0], (u64)&flags[64], LS_OK},
                right = {&b, (u64)&flags[64], (u64)&flags[0], LS_OK};
    assert_int_equal(pthread_create(&other, NULL, run_side, &right), 0);
    run_side(&left);
    pthread_join(other, NULL);
    assert_int_equal(left.status, LS_OK);
    assert_int_equal(right.status, LS_OK);
    bench_close(&b);
}

static void test_deadlock_is_reported(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "progress.ptx");
    assert_int_equal(bench_run(&b, &(struct run){.kernel = "deadlock", .grid = 1, .block = 32}, &f), LS_ERR_FAULT);
    assert_int_equal(f.kind, FAULT_DEADLOCK);
    if (!strstr(f.detail, "lanes 0x0000ffff wait at `barrier.sync 1, 64`"))
        fail_msg("%s", f.detail);
    assert_non_null(strstr(f.detail, "lanes 0xffff0000 wait at `barrier.sync 0, 64`"));
    bench_close(&b);
}

/* Whatever the number of those who wait: whole entries, and how many there is no room for. */
static void test_deadlock_text_is_whole(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "progress.ptx");
    assert_int_equal(bench_run(&b, &(struct run){.kernel = "deadlock_of_warps", .grid = 1, .block = 192}, &f),
                     LS_ERR_FAULT);
    assert_int_equal(f.kind, FAULT_DEADLOCK);
    assert_string_equal(f.detail, "warps 0,2,4, lanes 0xffffffff wait at `barrier.sync 0, 1024`, PTX line 210; "
                                  "warps 1,3,5, lanes 0xffffffff wait at `barrier.sync 1, 1024`, PTX line 213");
    assert_int_equal(bench_run(&b, &(struct run){.kernel = "deadlock_of_lanes", .grid = 1, .block = 96}, &f),
                     LS_ERR_FAULT);
    u32 entries = 0, more = 0;
    for (const char *s = f.detail; (s = strstr(s, "warps 0-2, lanes 0x")); s++)
        entries++;
    const char *last = strrchr(f.detail, ';');
    assert_non_null(last);
    assert_int_equal(sscanf(last, "; and %u more", &more), 1);
    assert_int_equal(entries + more, 32);
    assert_true(entries >= 6);
    bench_close(&b);
}

static void test_divergent_barrier_completes(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    u32 *out = bench_alloc(&b, 256);
    bench_run_ok(&b, &(struct run){.kernel = "divergent_barrier", .grid = 1, .block = 64, .params = {(u64)out}});
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(out[i], 63 - i);
    bench_close(&b);
}

static void test_watchdog(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "progress.ptx");
    u32 *flag = bench_alloc(&b, 4);
    assert_int_equal(bench_run(&b, &(struct run){.kernel = "endless", .grid = 1, .block = 32, .max_seconds = 0.2}, &f),
                     LS_ERR_TIMEOUT);
    assert_int_equal(f.kind, FAULT_TIMEOUT);
    assert_string_equal(f.kernel, "endless");
    assert_int_equal(
        bench_run(&b, &(struct run){.kernel = "endless", .grid = 4, .block = 64, .max_instructions = 1000000}, &f),
        LS_ERR_TIMEOUT);
    assert_int_equal(
        bench_run(&b,
                  &(struct run){
                      .kernel = "endless_poll", .grid = 300, .block = 64, .max_seconds = 0.3, .params = {(u64)flag}},
                  &f),
        LS_ERR_TIMEOUT);
    bench_close(&b);
}

/* Stores of the whole warp, seen by the hooks below. */
struct stores {
    u32 whole, part;
};

static void *count_stores(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

static void see_store(void *ctx, const struct exec_access *a)
{
    struct stores *s = ctx;
    if (a->op != ACCESS_ST || a->space != SPACE_GLOBAL || a->mask == 1)
        return; /* the flag's store is by lane 0 */
    *(a->mask == UINT32_MAX ? &s->whole : &s->part) += 1;
}

/* Lanes that were let go while lane 0 polled are one split with it again behind the barrier. */
static void test_lanes_meet_at_a_barrier(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "progress.ptx");
    u32 *flag = bench_alloc(&b, 4), *out = bench_alloc(&b, 4 * 128);
    struct stores seen = {0, 0};
    const struct exec_hooks hooks = {.launch = &seen, .worker_begin = count_stores, .access = see_store};
    bench_run_ok(&b, &(struct run){.kernel = "poll_then_store",
                                   .grid = 2,
                                   .block = 64,
                                   .workers = 1,
                                   .hooks = &hooks,
                                   .params = {(u64)flag, (u64)out},
                                   .max_seconds = HANGS_S});
    for (u32 i = 0; i < 128; i++)
        assert_int_equal(out[i], i);
    assert_int_equal(seen.whole, 4);
    assert_int_equal(seen.part, 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin_lock_in_a_warp),
        cmocka_unit_test(test_look_back),
        cmocka_unit_test(test_look_ahead),
        cmocka_unit_test(test_tickets),
        cmocka_unit_test(test_poll_between_barriers),
        cmocka_unit_test(test_producer_and_consumer),
        cmocka_unit_test(test_two_kernels_wait_for_each_other),
        cmocka_unit_test(test_deadlock_is_reported),
        cmocka_unit_test(test_deadlock_text_is_whole),
        cmocka_unit_test(test_divergent_barrier_completes),
        cmocka_unit_test(test_watchdog),
        cmocka_unit_test(test_lanes_meet_at_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
