/* Threads and workers: which context counts a block, and what a block finds, depends on the launch alone; launches at once,
 * short and long ones in turn, and a forked child share the threads of the process, or do without. */
#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness.h"

/* out[block] = 1 + what the worker's last block left in shared memory, after `trips` of a loop; floats[block] = 1 + 2^-30,
 * rounded. */
#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* turns: block b of player p of two waits until ball[b] is 2 k + p, and adds 1, for k below hits. */
static const char text[] = HEAD ".visible .entry leave(.param .u64 out, .param .u64 floats, .param .u32 trips)\n{\n"
                                ".reg .b32 %r<5>; .reg .b64 %q<5>; .reg .f32 %f<3>; .reg .pred %p;\n"
                                ".shared .b32 left;\n"
                                "ld.param.u64 %q1, [out]; ld.param.u64 %q2, [floats]; ld.param.u32 %r1, [trips];\n"
                                "mov.u32 %r2, %ctaid.x; mov.f32 %f1, 0f30800000;\n"
                                "again: add.f32 %f2, %f1, 0f3F800000;\n"
                                "sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra again;\n"
                                "mad.wide.u32 %q3, %r2, 4, %q1; mad.wide.u32 %q4, %r2, 4, %q2;\n"
                                "ld.shared.u32 %r3, [left]; add.u32 %r3, %r3, 1; add.u32 %r2, %r2, 1000;\n"
                                "st.shared.u32 [left], %r2; st.global.u32 [%q3], %r3; st.global.f32 [%q4], %f2;\n"
                                "ret;\n}\n"
                                ".visible .entry turns(.param .u64 ball, .param .u32 player, .param .u32 hits)\n{\n"
                                ".reg .b32 %r<6>; .reg .b64 %q<3>; .reg .pred %p;\n"
                                "ld.param.u64 %q1, [ball]; ld.param.u32 %r1, [player]; ld.param.u32 %r2, [hits];\n"
                                "mov.u32 %r3, %ctaid.x; mad.wide.u32 %q2, %r3, 4, %q1; shl.b32 %r2, %r2, 1;\n"
                                "again: ld.volatile.global.u32 %r4, [%q2];\n"
                                "setp.ne.u32 %p, %r4, %r1; @%p bra again;\n"
                                "add.u32 %r5, %r1, 1; st.volatile.global.u32 [%q2], %r5;\n"
                                "add.u32 %r1, %r1, 2; setp.lt.u32 %p, %r1, %r2; @%p bra again;\n"
                                "ret;\n}\n";

enum { SMS = 132, BLOCKS = 700, SHORT = 1, LONGER = 200000 };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 3, LONG = 300 };
#else
enum { ROUNDS = 20, LONG = 5000 };
#endif

static struct bench bench;
static u32 *out;
static float *floats;

static int open_bench(void **state)
{
    (void)state;
    bench_open(&bench, text);
    out = bench_alloc(&bench, BLOCKS * sizeof *out);
    floats = bench_alloc(&bench, BLOCKS * sizeof *floats);
    return 0;
}

static int close_bench(void **state)
{
    (void)state;
    bench_close(&bench);
    return 0;
}

static struct run leave(u32 blocks, u32 trips, unsigned workers)
{
    return (struct run){
        .kernel = "leave", .grid = blocks, .block = 32, .params = {(u64)out, (u64)floats, trips}, .workers = workers};
}

/* The block before it of the worker that runs block b, or UINT_MAX; by whole SMs. */
static unsigned before(unsigned b, unsigned workers)
{
    const unsigned sm = b % SMS;
    if (sm >= workers)
        return b - workers;
    if (b < SMS)
        return UINT_MAX;
    unsigned last = b - sm - SMS + sm % workers; /* the last SM of the worker, one round before */
    while (last % SMS + workers < SMS)
        last += workers;
    return last;
}

/* The same by rows of blocks. */
static unsigned before_in_rows(unsigned b, unsigned row, unsigned workers)
{
    if (b % row)
        return b - 1;
    return b < row * workers ? UINT_MAX : b - row * workers + row - 1;
}

/* The blocks of `leave` wait for nobody: each worker has four rows of them or more, where there are as many. */
static void expect_left(u32 blocks, unsigned workers)
{
    const unsigned most = blocks / (4 * workers), row = workers == 1 ? 0 : most < 256 ? most : 256;
    for (u32 b = 0; b < blocks; b++) {
        const unsigned k = row ? before_in_rows(b, row, workers) : before(b, workers);
        assert_int_equal(out[b], k == UINT_MAX ? 1 : k + 1001);
    }
}

static const unsigned worker_counts[] = {1, 2, 3, 8, 64, SMS};

static void test_a_block_finds_what_its_worker_left(void **state)
{
    static const u32 grids[] = {1, 7, 64, 132, 133, BLOCKS}, trips[] = {SHORT, SHORT, LONG, SHORT};
    (void)state;
    for (unsigned w = 0; w < LS_ARRAY_LEN(worker_counts); w++)
        for (unsigned g = 0; g < LS_ARRAY_LEN(grids); g++)
            for (unsigned t = 0; t < LS_ARRAY_LEN(trips); t++) {
                const unsigned workers = worker_counts[w] < grids[g] ? worker_counts[w] : grids[g];
                const struct run r = leave(grids[g], trips[t], workers);
                memset(out, 0, BLOCKS * sizeof *out);
                bench_run_ok(&bench, &r);
                expect_left(grids[g], workers);
            }
}

/* ---- contexts ---- */

static unsigned char counted_by[BLOCKS];
static unsigned contexts;

static void *begin_worker(void *launch, unsigned worker)
{
    (void)launch;
    contexts = worker + 1;
    return (void *)(uintptr_t)(worker + 1);
}

static void begin_block(void *ctx, const struct exec_block_info *b)
{
    counted_by[b->linear] = (unsigned char)(uintptr_t)ctx;
    if (b->sm != b->linear % SMS || b->slot != b->linear / SMS)
        counted_by[b->linear] = 0;
}

static void end_block(void *ctx, const struct exec_block_info *b)
{
    if (counted_by[b->linear] != (uintptr_t)ctx)
        counted_by[b->linear] = 0;
}

static void test_contexts_do_not_depend_on_threads(void **state)
{
    static const struct exec_hooks hooks = {
        .worker_begin = begin_worker, .block_begin = begin_block, .block_end = end_block};
    static const u32 trips[] = {SHORT, LONG, SHORT};
    (void)state;
    for (unsigned w = 0; w < LS_ARRAY_LEN(worker_counts); w++)
        for (unsigned t = 0; t < LS_ARRAY_LEN(trips); t++) {
            struct run r = leave(BLOCKS, trips[t], worker_counts[w]);
            r.hooks = &hooks;
            memset(counted_by, 0, sizeof counted_by);
            bench_run_ok(&bench, &r);
            assert_int_equal(contexts, worker_counts[w]);
            for (u32 b = 0; b < BLOCKS; b++)
                assert_int_equal(counted_by[b], b % SMS % worker_counts[w] + 1);
        }
}

/* ---- threads ---- */

/* Threads that come to help round as the launching one does, even if they were made before. */
static void test_threads_round_alike(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_TONEAREST};
    (void)state;
    for (unsigned k = 0; k < ROUNDS; k++)
        for (unsigned m = 0; m < LS_ARRAY_LEN(modes); m++) {
            const struct run r = leave(64, LONG, 64);
            fesetround(modes[m]);
            bench_run_ok(&bench, &r);
            fesetround(FE_TONEAREST);
            for (u32 b = 0; b < 64; b++)
                assert_true(modes[m] == FE_UPWARD ? floats[b] > 1 : floats[b] == 1);
        }
}

/* A few blocks, of which nobody knows that they take long this time. */
static void test_short_then_long(void **state)
{
    (void)state;
    for (unsigned k = 0; k < ROUNDS; k++) {
        const struct run r = leave(4, k % 5 == 4 ? LONGER : SHORT, 4);
        bench_run_ok(&bench, &r);
        expect_left(4, 4);
    }
}

static void *launch_often(void *arg)
{
    const u32 at = *(const u32 *)arg;
    for (unsigned k = 0; k < ROUNDS; k++) {
        struct run r = leave(16, k % 2 ? SHORT : LONG, 4);
        struct exec_fault f;
        r.params[0] += at * sizeof *out;
        if (bench_run(&bench, &r, &f) != LS_OK)
            return NULL;
        for (u32 b = 0; b < 16; b++)
            if (out[at + b] != (b < 4 ? 1 : b - 4 + 1001))
                return NULL;
    }
    return arg;
}

static void test_launches_at_once(void **state)
{
    static u32 at[] = {0, 64, 128, 192, 256, 320};
    pthread_t threads[LS_ARRAY_LEN(at)];
    (void)state;
    for (unsigned k = 0; k < LS_ARRAY_LEN(at); k++)
        assert_int_equal(pthread_create(&threads[k], NULL, launch_often, &at[k]), 0);
    for (unsigned k = 0; k < LS_ARRAY_LEN(at); k++) {
        void *result;
        pthread_join(threads[k], &result);
        assert_non_null(result);
    }
}

/* ---- grids that wait for each other ---- */

enum { HITS = 50, MOST_BLOCKS = 5 };

struct player {
    u32 *ball;
    u32 number, blocks;
    unsigned workers;
};

static void *play(void *arg)
{
    const struct player *p = arg;
    const struct run r = {.kernel = "turns",
                          .grid = p->blocks,
                          .block = 1,
                          .params = {(u64)p->ball, p->number, HITS},
                          .workers = p->workers,
                          .max_seconds = 60};
    struct exec_fault f;
    return bench_run(&bench, &r, &f) == LS_OK ? arg : NULL;
}

/* All their blocks wait nearly always, and the last of a worker's have nobody else to wait with. */
static void test_grids_wait_for_each_other(void **state)
{
    u32 *balls = bench_alloc(&bench, 2 * MOST_BLOCKS * sizeof *balls);
    (void)state;
    for (u32 round = 0; round < 3 * ROUNDS; round++) {
        const u32 blocks = 1 + round % MOST_BLOCKS;
        struct player players[4];
        pthread_t threads[4];
        memset(balls, 0, 2 * MOST_BLOCKS * sizeof *balls);
        for (u32 k = 0; k < 4; k++) {
            players[k] = (struct player){balls + k / 2 * MOST_BLOCKS, k % 2, blocks, 2 + round % 3};
            assert_int_equal(pthread_create(&threads[k], NULL, play, &players[k]), 0);
        }
        for (u32 k = 0; k < 4; k++) {
            void *result;
            pthread_join(threads[k], &result);
            assert_non_null(result);
        }
        for (u32 k = 0; k < 2 * MOST_BLOCKS; k++)
            assert_int_equal(balls[k], k % MOST_BLOCKS < blocks ? 2 * HITS : 0);
    }
}

/* Block 0 ends first, then the others one by one, while the thread has nothing else to run than the one it ran last. */
static void test_the_last_block_goes_on(void **state)
{
    u32 *balls = bench_alloc(&bench, MOST_BLOCKS * sizeof *balls);
    (void)state;
    for (u32 round = 0; round < ROUNDS; round++) {
        const struct timespec pause = {.tv_nsec = 3000000};
        struct player player = {balls, 0, 2 + round % (MOST_BLOCKS - 1), MOST_BLOCKS};
        pthread_t thread;
        void *result;
        for (u32 b = 0; b < MOST_BLOCKS; b++)
            __atomic_store_n(&balls[b], 2 * HITS, __ATOMIC_RELEASE); /* nobody's turn */
        assert_int_equal(pthread_create(&thread, NULL, play, &player), 0);
        for (u32 b = 0; b < player.blocks; b++) {
            nanosleep(&pause, NULL);
            for (u32 k = 0; k < HITS; k++) /* the other player */
                for (__atomic_store_n(&balls[b], 2 * k, __ATOMIC_RELEASE);
                     __atomic_load_n(&balls[b], __ATOMIC_ACQUIRE) == 2 * k;)
                    sched_yield();
        }
        pthread_join(thread, &result);
        assert_non_null(result);
    }
}

/* ---- fork ---- */

/* The child has none of the threads that slept when it was made; it makes its own, and ends them. */
static void test_a_forked_child_launches(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it lets no child of a process with threads make any */
#endif
    const struct run r = leave(64, LONG, 8);
    bench_run_ok(&bench, &r);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct exec_fault f;
        memset(out, 0, 64 * sizeof *out);
        bool ok = true;
        for (unsigned k = 0; k < ROUNDS && ok; k++)
            ok = bench_run(&bench, &r, &f) == LS_OK && out[63] == 62 + 1001;
        exit(ok ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    bench_run_ok(&bench, &r);
    expect_left(64, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_block_finds_what_its_worker_left),
        cmocka_unit_test(test_contexts_do_not_depend_on_threads),
        cmocka_unit_test(test_threads_round_alike),
        cmocka_unit_test(test_short_then_long),
        cmocka_unit_test(test_launches_at_once),
        cmocka_unit_test(test_grids_wait_for_each_other),
        cmocka_unit_test(test_the_last_block_goes_on),
        cmocka_unit_test(test_a_forked_child_launches),
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
