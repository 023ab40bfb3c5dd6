/* Weak memory: litmus tests (ptx/weak.ptx) over many seeds. What lacks a fence goes wrong under some of them, what has
 * its fences under none; and nothing goes wrong that a kernel need not fear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

/* Sanitizers are an order of magnitude slower, and look for other faults than too weak a memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SEEDS_RIGHT = 20 };
#else
enum { SEEDS_RIGHT = 200 };
#endif
enum { SEEDS_WRONG = 100, BYTES = 1 << 16 };

static struct bench bench;
static u32 *memory, *out;

static int open_weak(void **state)
{
    (void)state;
    bench_open(&bench, "weak.ptx");
    bench.device.weak_memory = true;
    memory = bench_alloc(&bench, BYTES);
    out = bench_alloc(&bench, BYTES);
    return 0;
}

static int close_weak(void **state)
{
    (void)state;
    bench_close(&bench);
    return 0;
}

static void run_seed(const struct run *r, u64 seed, unsigned workers)
{
    struct run x = *r;
    x.seed = seed;
    x.workers = workers;
    x.max_seconds = 60;
    memset(memory, 0, BYTES);
    memset(out, 0, BYTES);
    bench_run_ok(&bench, &x);
}

/* How many of the seeds from 1 on end with out[0] wrong. */
static unsigned wrong_runs(const struct run *r, u32 right, unsigned seeds, unsigned workers)
{
    unsigned wrong = 0;
    for (u64 seed = 1; seed <= seeds; seed++) {
        run_seed(r, seed, workers);
        wrong += out[0] != right;
    }
    return wrong;
}

static void always_right(const struct run *r, u32 right)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        const unsigned wrong = wrong_runs(r, right, SEEDS_RIGHT, workers);
        if (wrong)
            fail_msg("%s is wrong under %u of %d seeds, %u workers", r->kernel, wrong, SEEDS_RIGHT, workers);
    }
}

static void sometimes_wrong(const struct run *r, u32 right)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        const unsigned wrong = wrong_runs(r, right, SEEDS_WRONG, workers);
        print_message("%s: wrong under %u of %d seeds, %u worker(s)\n", r->kernel, wrong, SEEDS_WRONG, workers);
        if (!wrong)
            fail_msg("%s is right under %d seeds, %u workers", r->kernel, SEEDS_WRONG, workers);
    }
}

/* ---- between blocks ---- */

enum { MP_NOTHING, MP_MEMBAR, MP_MEMBAR_CTA, MP_FENCE, MP_RELEASE, MP_RELEASE_CTA, MP_RED, MP_ATOM, MP_ATOM_RELAXED };

static struct run message(u32 writer, u32 how, u32 flag)
{
    return (struct run){.kernel = "mp", .grid = 2, .block = 1, .params = {(u64)memory, (u64)out, writer, how, flag}};
}

static void test_message_passing(void **state)
{
    static const u32 wrong[] = {MP_NOTHING, MP_MEMBAR_CTA, MP_RELEASE_CTA, MP_ATOM_RELAXED};
    static const u32 right[] = {MP_MEMBAR, MP_FENCE, MP_RELEASE, MP_RED, MP_ATOM};
    (void)state;
    for (u32 writer = 0; writer < 2; writer++) {
        for (unsigned k = 0; k < LS_ARRAY_LEN(wrong); k++) {
            const struct run far = message(writer, wrong[k], 64), near = message(writer, wrong[k], 1);
            sometimes_wrong(&far, 1);
            sometimes_wrong(&near, 1);
        }
        for (unsigned k = 0; k < LS_ARRAY_LEN(right); k++) {
            const struct run far = message(writer, right[k], 64), near = message(writer, right[k], 1);
            always_right(&far, 1);
            always_right(&near, 1);
        }
    }
}

static void test_last_block(void **state)
{
    enum { GRID = 20, BLOCK = 70, THREADS = GRID * BLOCK, SUM = THREADS * (THREADS + 1) / 2 };
    (void)state;
    for (u32 how = 0; how < 4; how++) {
        const struct run r = {.kernel = "last_block",
                              .grid = GRID,
                              .block = BLOCK,
                              .params = {(u64)memory, (u64)&memory[8192], (u64)out, how}};
        if (how == 1 || how == 2)
            always_right(&r, SUM);
        else
            sometimes_wrong(&r, SUM);
    }
}

/* Both blocks may read the old value: never with a fence.sc between. */
static void test_store_buffering(void **state)
{
    (void)state;
    for (u32 how = 0; how < 2; how++)
        for (unsigned workers = 1; workers <= 2; workers++) {
            const struct run r = {.kernel = "sb", .grid = 2, .block = 1, .params = {(u64)memory, (u64)out, how}};
            unsigned both_old = 0;
            for (u64 seed = 1; seed <= SEEDS_RIGHT; seed++) {
                run_seed(&r, seed, workers);
                both_old += !out[0] && !out[1];
            }
            if (how ? both_old > 0 : both_old == 0)
                fail_msg("both old under %u of %d seeds, fence: %u, workers: %u", both_old, SEEDS_RIGHT, how, workers);
        }
}

static void test_coherence(void **state)
{
    (void)state;
    always_right(&(struct run){.kernel = "coherence", .grid = 3, .block = 1, .params = {(u64)memory, (u64)out, 50}}, 0);
}

static void test_lock(void **state)
{
    enum { BLOCKS = 5, TIMES = 4 };
    (void)state;
    for (u32 how = 0; how < 2; how++)
        for (unsigned workers = 1; workers <= 2; workers++) {
            const struct run r = {.kernel = "lock", .grid = BLOCKS, .block = 1, .params = {(u64)memory, TIMES, how}};
            unsigned lost = 0;
            for (u64 seed = 1; seed <= SEEDS_RIGHT; seed++) {
                run_seed(&r, seed, workers);
                lost += memory[64] != BLOCKS * TIMES;
            }
            if (how ? lost > 0 : lost == 0)
                fail_msg("counts lost under %u of %d seeds, fences: %u, workers: %u", lost, SEEDS_RIGHT, how, workers);
        }
}

static void test_grid_barrier(void **state)
{
    enum { ROUNDS = 4 };
    (void)state;
    for (u32 how = 0; how < 2; how++) {
        const struct run r = {.kernel = "grid_barrier",
                              .grid = 4,
                              .block = 64,
                              .cooperative = true,
                              .params = {(u64)memory, (u64)out, ROUNDS, how}};
        if (how)
            always_right(&r, 0);
        else
            sometimes_wrong(&r, 0);
    }
}

/* ---- the reader's side ---- */

enum { STALE_NOTHING, STALE_MEMBAR, STALE_MEMBAR_CTA, STALE_ACQUIRE, STALE_ACQUIRE_CTA, STALE_KINDS = 9 };

static void test_stale_loads(void **state)
{
    (void)state;
    for (u32 how = 0; how < STALE_KINDS; how++) {
        const struct run r = {.kernel = "stale", .grid = 2, .block = 64, .params = {(u64)memory, (u64)out, how}};
        if (how == STALE_NOTHING || how == STALE_MEMBAR_CTA || how == STALE_ACQUIRE_CTA)
            sometimes_wrong(&r, 1);
        else
            always_right(&r, 1);
    }
}

static void test_mixed_reads(void **state)
{
    (void)state;
    always_right(&(struct run){.kernel = "mixed_reads", .grid = 2, .block = 1, .params = {(u64)memory, (u64)out, 20}},
                 0);
}

static void test_plain_wait_ends(void **state)
{
    (void)state;
    always_right(&(struct run){.kernel = "plain_wait", .grid = 2, .block = 1, .params = {(u64)memory}}, 0);
}

/* ---- within a block ---- */

static void test_own_stores(void **state)
{
    (void)state;
    always_right(&(struct run){.kernel = "forward", .grid = 4, .block = 100, .params = {(u64)memory, (u64)out}}, 0);
}

static void test_atomics_follow_stores(void **state)
{
    (void)state;
    always_right(&(struct run){.kernel = "atomics", .grid = 4, .block = 128, .params = {(u64)memory, (u64)out}}, 0);
}

static void test_copies_follow_stores(void **state)
{
    (void)state;
    always_right(&(struct run){.kernel = "copy", .grid = 1, .block = 64, .params = {(u64)memory, (u64)out}}, 0);
}

static void test_between_warps(void **state)
{
    (void)state;
    for (u32 how = 0; how < 2; how++) {
        const struct run r = {.kernel = "warps", .grid = 1, .block = 64, .params = {(u64)memory, (u64)out, how}};
        if (how)
            always_right(&r, 1);
        else
            sometimes_wrong(&r, 1);
    }
}

/* The same bytes as in strong memory, whatever is read and written with which width. */
static void test_widths(void **state)
{
    struct bench strong;
    u32 loaded[16], stored[16];
    (void)state;
    bench_open(&strong, "weak.ptx");
    u32 *m = bench_alloc(&strong, 64), *o = bench_alloc(&strong, 64);
    bench_run_ok(&strong, &(struct run){.kernel = "widths", .grid = 1, .block = 1, .params = {(u64)m, (u64)o}});
    memcpy(stored, m, 64);
    memcpy(loaded, o, 64);
    bench_close(&strong);
    assert_int_equal(loaded[0], 0xbb667788);
    for (u64 seed = 1; seed <= SEEDS_RIGHT; seed++) {
        run_seed(&(struct run){.kernel = "widths", .grid = 1, .block = 1, .params = {(u64)memory, (u64)out}}, seed, 1);
        assert_memory_equal(out, loaded, 64);
        assert_memory_equal(memory, stored, 64);
    }
}

/* ---- one seed, one run ---- */

/* Which seeds go wrong, as bits. */
static void outcomes(const struct run *r, u8 *bits)
{
    for (u64 seed = 1; seed <= SEEDS_WRONG; seed++) {
        run_seed(r, seed, 1);
        bits[seed - 1] = (u8)out[0];
    }
}

static void test_seeds_repeat(void **state)
{
    u8 first[SEEDS_WRONG], again[SEEDS_WRONG];
    const struct run r = message(1, MP_NOTHING, 64);
    (void)state;
    outcomes(&r, first);
    outcomes(&r, again);
    assert_memory_equal(first, again, SEEDS_WRONG);
    assert_non_null(memchr(first, 0, SEEDS_WRONG));
    assert_non_null(memchr(first, 1, SEEDS_WRONG));
    run_seed(&r, 0, 1); /* unset: one seed of its own */
    const u32 seen = out[0];
    for (int k = 0; k < 10; k++) {
        run_seed(&r, 0, 1);
        assert_int_equal(out[0], seen);
    }
}

/* Without it, message passing needs no fence here: the default is as it always was. */
static void test_strong(void **state)
{
    struct bench strong;
    (void)state;
    bench_open(&strong, "weak.ptx");
    u32 *m = bench_alloc(&strong, 1024), *o = bench_alloc(&strong, 4);
    for (u64 seed = 1; seed <= SEEDS_WRONG; seed++) {
        memset(m, 0, 1024);
        *o = 0;
        bench_run_ok(&strong, &(struct run){.kernel = "mp",
                                            .grid = 2,
                                            .block = 1,
                                            .seed = seed,
                                            .workers = 2,
                                            .params = {(u64)m, (u64)o, seed & 1, MP_NOTHING, 64}});
        assert_int_equal(*o, 1);
    }
    bench_close(&strong);
}

static void count_access(void *ctx, const struct exec_access *a)
{
    *(u64 *)ctx += (u64)__builtin_popcount(a->mask) * a->size;
}
static void *count_here(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

/* Traced code goes the same ways and reports the same accesses. */
static void test_traced(void **state)
{
    struct bench strong;
    u64 bytes[2] = {0};
    (void)state;
    bench_open(&strong, "weak.ptx");
    struct bench *benches[] = {&strong, &bench};
    for (int k = 0; k < 2; k++) {
        const struct exec_hooks hooks = {.launch = &bytes[k], .worker_begin = count_here, .access = count_access};
        u32 *m = bench_alloc(benches[k], 4096), *o = bench_alloc(benches[k], 4);
        bench_run_ok(benches[k], &(struct run){.kernel = "forward",
                                               .grid = 4,
                                               .block = 100,
                                               .workers = 1,
                                               .hooks = &hooks,
                                               .params = {(u64)m, (u64)o}});
        assert_int_equal(*o, 0);
    }
    assert_true(bytes[0] > 0);
    assert_int_equal(bytes[0], bytes[1]);
    bench_close(&strong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_passing),
        cmocka_unit_test(test_last_block),
        cmocka_unit_test(test_store_buffering),
        cmocka_unit_test(test_coherence),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_grid_barrier),
        cmocka_unit_test(test_stale_loads),
        cmocka_unit_test(test_mixed_reads),
        cmocka_unit_test(test_plain_wait_ends),
        cmocka_unit_test(test_own_stores),
        cmocka_unit_test(test_atomics_follow_stores),
        cmocka_unit_test(test_copies_follow_stores),
        cmocka_unit_test(test_between_warps),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_seeds_repeat),
        cmocka_unit_test(test_strong),
        cmocka_unit_test(test_traced),
    };
    return cmocka_run_group_tests(tests, open_weak, close_weak);
}
