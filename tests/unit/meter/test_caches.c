/* test_caches.c - streams of warps, L1, and that neither the number of workers nor what is sampled changes what the caches serve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "caches_bench.h"

/* 32 warps of an SM, each twice at the same 32 lines: together four times what L1 holds. */
static u64 hits_of_second_loads(bool together)
{
    enum { BLOCKS = 16 };
    const u8 how[MOST_SITES] = {together ? SITE_WITH_NEXT : 0};
    struct bench b;
    bench_begin(&b, &one_l2, 1, BLOCKS, (u64)BLOCKS * SMS);
    b.first[0] = caches_add_sites(b.worker[0], b.rows[0], how, MOST_SITES);
    for (u64 k = 0; k < BLOCKS; k++) {
        bench_start(&b, k * SMS);
        for (u32 w = 0; w < 2; w++)
            for (u32 site = 0; site < 2; site++)
                bench_access(&b, k * SMS, w, site, TRAFFIC_LOAD, (k * 2 + w) * 32 * 128, 128);
    }
    for (u64 k = 0; k < BLOCKS; k++)
        bench_stop(&b, k * SMS);
    bench_finish(&b);
    return bench_end(&b, 1).n[TRAFFIC_l1_gld_hits];
}

static void loads_that_are_under_way_together_find_what_the_first_brought(void **state)
{
    (void)state;
    assert_true(hits_of_second_loads(true) > 900);
    assert_true(hits_of_second_loads(false) < 400);
}

/* 8 blocks of 2 warps, 16 lines a warp: 32 KiB read once, and as much written. */
static void a_stream_costs_what_it_touches(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 2, 8);
    for (u64 k = 0; k < 8; k++) {
        bench_start(&b, k);
        for (u32 w = 0; w < 2; w++)
            for (u64 line = 0; line < 16; line++) {
                const u64 at = ((k * 2 + w) * 16 + line) * 128;
                bench_access(&b, k, w, 0, TRAFFIC_LOAD, at, 4);
                bench_access(&b, k, w, 1, TRAFFIC_STORE, (1 << 19) + at, 4);
            }
        bench_stop(&b, k);
    }
    bench_finish(&b);
    const struct traffic in = bench_end(&b, 0), out = bench_end(&b, 1);
    assert_int_equal(N(in, l1_gld_misses), 1024); /* 8 x 2 x 16 lines of 4 sectors */
    assert_int_equal(N(in, l1_gld_hits), 0);
    assert_int_equal(N(in, l1_lines), 256);
    assert_int_equal(N(in, l2_reads), 1024);
    assert_int_equal(N(in, l2_read_hits), 0);
    assert_int_equal(N(in, dram_reads), 1024);
    assert_int_equal(N(out, l1_gst_misses), 1024);
    assert_int_equal(N(out, l2_writes), 1024);
    assert_int_equal(N(out, dram_reads), 0);  /* a written line is not read */
    assert_int_equal(N(out, dram_writes), 0); /* and stays in L2 */
}

/* A long stream grows while memory lies about that is not enough for it: what a shorter stream of another SM was in. */
static void streams_of_all_lengths_take_turns(void **state)
{
    (void)state;
    enum { LONG = 900, SHORT = 300 }; /* loads of 32 lines */
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 2);
    bench_start(&b, 0);
    bench_start(&b, 1);
    for (u64 k = 0; k < LONG; k++)
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, k * 32 * 128, 128);
    for (u64 k = 0; k < SHORT / 32; k++)
        bench_access(&b, 1, 0, 1, TRAFFIC_LOAD, k * 32 * 128, 128);
    bench_stop(&b, 1);
    for (u64 k = LONG; k < 2 * LONG; k++)
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, k * 32 * 128, 128);
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l1_lines), 2 * LONG * 32);
    assert_int_equal(N(bench_end(&b, 1), l1_lines), SHORT / 32 * 32);
}

/* Twice 16 KiB by one SM of 32 KiB of L1: the second time from L1. By two SMs: the second one's from L2. */
static void what_is_read_again_comes_from_where_it_is(void **state)
{
    (void)state;
    for (u64 second = 0; second < 2; second++) {
        struct bench b;
        bench_begin(&b, &one_l2, 1, 1, 8);
        for (u64 round = 0; round < 2; round++) {
            const u64 k = round ? (second ? 1 : SMS) : 0; /* block 4 is on block 0's SM */
            bench_start(&b, k);
            if (second && round) /* L2 takes the SMs in turn: this one has to come later */
                for (u64 line = 0; line < 128; line++)
                    bench_access(&b, k, 0, 2, TRAFFIC_STORE, (1 << 22) + line * 128, 4);
            for (u64 line = 0; line < 128; line++)
                bench_access(&b, k, 0, (u32)round, TRAFFIC_LOAD, line * 128, 4);
            bench_stop(&b, k);
        }
        bench_finish(&b);
        const struct traffic first = bench_end(&b, 0), again = bench_end(&b, 1);
        assert_int_equal(N(first, dram_reads), 512);
        assert_int_equal(N(again, l1_gld_hits), second ? 0 : 512);
        assert_int_equal(N(again, l2_read_hits), second ? 512 : 0);
        assert_int_equal(N(again, dram_reads), 0);
    }
}

/* A little more than L1 holds, over and over: what leaves is any line, so most of it is still there. (An H200 found 69 %
 * where the least recently used line's leaving would have kept 13 %.) */
static void going_round_l1_keeps_most_of_it(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u32 round = 0; round < 40; round++)
        for (u64 line = 0; line < 307; line++) /* 1.2 times 256 lines: of a share m of misses 1 - exp(-1.2 m) */
            bench_access(&b, 0, 0, round < 20 ? 0 : 1, TRAFFIC_LOAD, line * 128, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    const double asked = 20 * 307 * 4, hits = (double)N(bench_end(&b, 1), l1_gld_hits);
    assert_true(hits > 0.55 * asked && hits < 0.8 * asked);
}

/* 4 bytes every 32: a sector a lane; four such loads use up each sector. */
static void sectors_are_taken_in_one_by_one(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 0, 128); /* the first sector of 32 lines */
    bench_access(&b, 0, 0, 1, TRAFFIC_LOAD, 4, 128);
    bench_access(&b, 0, 0, 2, TRAFFIC_LOAD, 64, 128); /* the third one */
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l1_gld_misses), 32);
    assert_int_equal(N(bench_end(&b, 1), l1_gld_hits), 32);
    assert_int_equal(N(bench_end(&b, 2), l1_gld_misses), 32);
    assert_int_equal(N(bench_end(&b, 2), l2_reads), 32);
    assert_int_equal(N(bench_end(&b, 2), dram_reads),
                     64); /* which gives 64 bytes at least: a sector more of each line */
}

/* Word k of lane i at 4 (32 k + i): one index in all lanes is a line of its own, and stays in L1. */
static void local_memory_is_interleaved(void **state)
{
    (void)state;
    struct bench b;
    u64 addr[32];
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u64 k = 0; k < 8; k++) {
        for (u32 i = 0; i < 32; i++)
            addr[i] = 4 * k;
        bench_lanes(&b, 0, 0, 0, TRAFFIC_LOCAL_STORE, addr, 4, SPACE_LOCAL);
        bench_lanes(&b, 0, 0, 1, TRAFFIC_LOCAL_LOAD, addr, 4, SPACE_LOCAL);
        bench_lanes(&b, 0, 1, 2, TRAFFIC_LOCAL_LOAD, addr, 4, SPACE_LOCAL); /* another warp's is other memory */
    }
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l1_lines), 8);
    assert_int_equal(N(bench_end(&b, 1), l1_other_hits), 32);
    assert_int_equal(N(bench_end(&b, 2), l1_other_misses), 32);
}

/* ---- determinism ---- */

static u64 next_random(u64 *s) { return *s = *s * 6364136223846793005u + 1442695040888963407u; }

/* 128 blocks of mixed accesses, dealt to SMs as the engine does; each worker runs its SMs' blocks in launch order. */
static struct traffic mixed_launch(u32 nworkers)
{
    static const enum traffic_kind kinds[] = {TRAFFIC_LOAD, TRAFFIC_STORE, TRAFFIC_LOAD_PAST, TRAFFIC_RED};
    struct bench b;
    struct traffic sum = {0};
    bench_begin(&b, &two_halves, nworkers, 2, 128);
    for (u32 w = 0; w < nworkers; w++)
        for (u64 k = 0; k < 128; k++) {
            if (bench_owner(&b, k) != w)
                continue;
            u64 seed = k + 1;
            bench_start(&b, k);
            for (u32 n = 0; n < 200; n++)
                bench_access(&b, k, n % 2, n % 4, kinds[n % 4], next_random(&seed) >> 44 << 2,
                             next_random(&seed) >> 60 << 2);
            bench_stop(&b, k);
        }
    assert_true(caches_finish(b.caches));
    caches_free(b.caches);
    for (u32 site = 0; site < 4; site++) {
        const struct traffic t = bench_end(&b, site);
        for (u32 e = 0; e < TRAFFIC_COUNT; e++)
            sum.n[e] = sum.n[e] * 31 + t.n[e];
    }
    return sum;
}

static void workers_change_nothing(void **state)
{
    (void)state;
    const struct traffic one = mixed_launch(1);
    assert_true(N(one, l2_reads) > 0);
    for (u32 n = 2; n <= MOST_WORKERS; n++) {
        const struct traffic other = mixed_launch(n);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

/* ---- bounds ---- */

/* More than L2 is told of: one line in two and so on, and what is found multiplied. Every line is read once, so DRAM
 * reads what L2 is asked for; and half of them a second time, which 1 MiB cannot hold. */
static void a_sample_stands_for_all(void **state)
{
    (void)state;
    struct l2_input in = {.budget = 4096, .one_in = 1, .asked_in = 1, .beside_in = 1};
    struct traffic row = {0}, *rows[1] = {&row}, **sites = rows;
    struct l2_input *inputs[1] = {&in};
    const struct l2_shape shape = {.bytes = 1 << 20, .halves = 1};
    struct l2 *l2 = l2_make();
    struct l2_hot hot;
    assert_non_null(l2);
    in.sites = &sites;
    for (u64 line = 0; line < 65536; line++)
        assert_true(l2_input_push(&in, request_make(line, 15, TRAFFIC_LOAD, true, 0)));
    assert_int_equal(in.one_in, 16);
    assert_true(l2_run(l2, &shape, inputs, 1, &hot));
    assert_in_range(N(row, dram_reads), 262144 * 9 / 10, 262144 * 11 / 10);
    assert_int_equal(N(row, dram_reads), N(row, l2_reads));
    assert_int_equal(N(row, l2_read_hits), 0);
    ls_free(in.kept.at);
    l2_free(l2);
}

/* ---- memory ---- */

static long budget;

static void *stingy(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (!size) {
        free(p);
        return NULL;
    }
    return budget-- > 0 ? realloc(p, size) : NULL;
}

/* A stream of 16 lines by each of two warps of 5 blocks; whether there was memory for it. */
static bool small_launch(void)
{
    struct bench b = {0};
    const struct caches_input in = {.gpu = &two_halves, .l1_bytes = 32 << 10, .resident = 2, .warps = 2, .nblocks = 5};
    if (!(b.caches = caches_make(&in)))
        return false;
    b.worker[0] = caches_worker(b.caches);
    b.nworkers = 1;
    b.first[0] = b.worker[0] ? caches_add_sites(b.worker[0], b.rows[0], NULL, MOST_SITES) : 0;
    for (u64 k = 0; b.first[0] && k < 5; k++) {
        bench_start(&b, k);
        for (u32 line = 0; line < 160; line++)
            bench_access(&b, k, line % 2, 0, TRAFFIC_LOAD, (k * 160 + line) * 128, 4);
        bench_stop(&b, k);
    }
    const bool good = caches_finish(b.caches) && b.first[0];
    if (good)
        assert_int_equal(N(bench_end(&b, 0), dram_reads), 5 * 160 * 4);
    caches_free(b.caches);
    return good;
}

/* Whatever allocation fails: it is said, and the memory that is left serves the next launch. */
static void running_out_of_memory_is_said(void **state)
{
    (void)state;
    bool done = false;
    for (long n = 0; n < 500 && !done; n++) {
        caches_forget();
        ls_set_realloc(stingy, NULL);
        budget = n;
        done = small_launch();
        budget = 1000000;
        assert_true(small_launch());
        budget = n / 2; /* and again in memory that is there */
        small_launch();
        ls_set_realloc(NULL, NULL);
    }
    assert_true(done);
    caches_forget();
}

/* The blocks of an SM are taken by their place in the launch, in whatever order they begin and end. */
static void the_order_of_blocks_does_not_matter(void **state)
{
    (void)state;
    enum { BLOCKS = 12, ORDERS = 2 };
    static const u64 orders[ORDERS][BLOCKS] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                                               {4, 5, 8, 1, 0, 2, 10, 7, 6, 9, 11, 3}};
    struct traffic t[ORDERS];
    for (u32 k = 0; k < ORDERS; k++) {
        struct bench b;
        bench_begin(&b, &one_l2, 1, 2, BLOCKS);
        for (u32 i = 0; i < BLOCKS; i++) {
            const u64 block = orders[k][i];
            bench_start(&b, block);
            for (u64 line = 0; line < 600; line++) /* some of each are those of the next block of the SM */
                bench_access(&b, block, 0, 0, TRAFFIC_LOAD, (block / SMS * 400 + line) * 128, 4);
            bench_access(&b, block, 0, 0, TRAFFIC_STORE, block * 128, 4);
            bench_stop(&b, block);
        }
        bench_finish(&b);
        t[k] = bench_end(&b, 0);
    }
    assert_memory_equal(t[0].n, t[1].n, sizeof t[0].n);
    assert_true(N(t[0], l1_gld_hits) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_are_under_way_together_find_what_the_first_brought),
        cmocka_unit_test(a_stream_costs_what_it_touches),
        cmocka_unit_test(streams_of_all_lengths_take_turns),
        cmocka_unit_test(what_is_read_again_comes_from_where_it_is),
        cmocka_unit_test(going_round_l1_keeps_most_of_it),
        cmocka_unit_test(sectors_are_taken_in_one_by_one),
        cmocka_unit_test(local_memory_is_interleaved),
        cmocka_unit_test(workers_change_nothing),
        cmocka_unit_test(a_sample_stands_for_all),
        cmocka_unit_test(running_out_of_memory_is_said),
        cmocka_unit_test(the_order_of_blocks_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
