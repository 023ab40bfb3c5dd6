/* test_caches_sample.c - launches that ask for so much that some lines stand for all: as far as they can be, the counts are those of all lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "caches_bench.h"

static const struct gpu gpu = {.sms = 28, .cc_major = 9, .cc_minor = 0, .l2_bytes = 4 << 20};
static const struct gpu large = {
    .sms = 132, .cc_major = 9, .cc_minor = 0, .l2_bytes = 4 << 20}; /* many SMs to a group */
enum { BLOCKS = 28 * 6, ALL = 1 << 30, ENOUGH = 1 << 15 };

static u64 next_random(u64 *s) { return *s = *s * 6364136223846793005u + 1442695040888963407u; }

/* What a block does; all sites that it uses are below MOST_SITES. */
typedef void (*block_fn)(struct bench *b, u64 k);

struct result {
    struct traffic site[MOST_SITES];
    struct l2_hot hot;
};

static struct result launch_on(const struct gpu *on, block_fn block, u64 enough, u32 nworkers)
{
    struct bench b;
    struct result r;
    bench_enough = enough;
    bench_begin(&b, on, nworkers, 2, BLOCKS);
    for (u32 w = 0; w < nworkers; w++)
        for (u64 k = 0; k < BLOCKS; k++) {
            if (bench_owner(&b, k) != w)
                continue;
            bench_start(&b, k);
            block(&b, k);
            bench_stop(&b, k);
        }
    assert_true(caches_finish(b.caches));
    r.hot = *caches_hot(b.caches);
    caches_free(b.caches);
    for (u32 site = 0; site < MOST_SITES; site++)
        r.site[site] = bench_end(&b, site);
    bench_enough = 0;
    return r;
}

static struct result launch(block_fn block, u64 enough, u32 nworkers)
{
    return launch_on(&gpu, block, enough, nworkers);
}

static void is_near(int line, u64 is, u64 should, double share)
{
    if (fabs((double)is - (double)should) > share * (double)should + 8)
        fail_msg("line %d: %llu is not %llu", line, (unsigned long long)is, (unsigned long long)should);
}
#define near(is, should, share) is_near(__LINE__, is, should, share)

/* ---- what is asked for ---- */

/* 32 lanes at 32 places of 8 MiB: twice what L2 holds. */
static void gathers(struct bench *b, u64 k)
{
    u64 seed = k + 1, addr[32];
    for (u32 n = 0; n < 100; n++) {
        for (u32 i = 0; i < 32; i++)
            addr[i] = next_random(&seed) >> 41 << 2 & ((8 << 20) - 1);
        bench_lanes(b, k, n % 2, 0, TRAFFIC_LOAD, addr, 4, SPACE_GLOBAL);
    }
}

/* All blocks load from the same places, and each now and then once more, which L1 has. */
static void again_and_again(struct bench *b, u64 k)
{
    u64 seed = 1, own = k + 1, addr[32];
    for (u32 n = 0; n < 400; n++) {
        for (u32 i = 0; i < 32; i++)
            addr[i] = next_random(&seed) >> 41 << 2 & ((8 << 20) - 1);
        bench_lanes(b, k, 0, 0, TRAFFIC_LOAD, addr, 4, SPACE_GLOBAL);
        if (next_random(&own) >> 61 == 0)
            bench_lanes(b, k, 0, 0, TRAFFIC_LOAD, addr, 4, SPACE_GLOBAL);
    }
}

/* All blocks read the same 512 KiB, and each writes some of its own. */
static void tiles(struct bench *b, u64 k)
{
    for (u64 n = 0; n < 1024; n++) {
        bench_access(b, k, n % 2, 0, TRAFFIC_LOAD, n * 512, 4);
        bench_access(b, k, n % 2, 0, TRAFFIC_LOAD, n * 512 + 128, 4);
        if (n % 4 == 0)
            bench_access(b, k, n % 2, 1, TRAFFIC_STORE, (1 << 24) + (k * 256 + n / 4) * 128, 4);
    }
}

/* One word that all add to, and 64 that each lane adds to one of; and a line that all look at. */
static void counters(struct bench *b, u64 k)
{
    u64 seed = k + 1, addr[32];
    for (u32 n = 0; n < 200; n++) {
        bench_access(b, k, n % 2, 0, TRAFFIC_RED, 1 << 20, 0);
        for (u32 i = 0; i < 32; i++)
            addr[i] = next_random(&seed) >> 58 << 8;
        bench_lanes(b, k, n % 2, 1, TRAFFIC_ATOM, addr, 4, SPACE_GLOBAL);
        bench_access(b, k, n % 2, 2, TRAFFIC_STORE, 1 << 21, 4);
    }
}

/* ---- tests ---- */

static void gathers_are_as_all_of_them(void **state)
{
    (void)state;
    const struct traffic all = launch(gathers, ALL, 1).site[0], some = launch(gathers, 8 * ENOUGH, 1).site[0];
    assert_int_equal(all.drawn.sent, 0);
    assert_true(some.drawn.beyond != 0 || some.drawn.sent != 0);
    assert_int_equal(N(some, l1_gld_hits) + N(some, l1_gld_misses), N(all, l1_gld_hits) + N(all, l1_gld_misses));
    near(N(some, l1_gld_misses), N(all, l1_gld_misses), 0.002);
    near(N(some, l2_reads), N(all, l2_reads), 0.005);
    near(N(some, l2_read_hits), N(all, l2_read_hits), 0.05);
    near(N(some, dram_reads), N(all, dram_reads), 0.02);
}

/* SMs stay together that do the same but for what L1 has: that is no turn of L2, also where only some lines are looked up. */
static void what_l1_has_is_no_turn(void **state)
{
    (void)state;
    const struct traffic all = launch_on(&large, again_and_again, ALL, 1).site[0],
                         some = launch_on(&large, again_and_again, 16 * ENOUGH, 1).site[0];
    assert_true(some.drawn.beyond != 0);
    near(N(some, l1_gld_misses), N(all, l1_gld_misses), 0.01);
    near(N(some, l2_reads), N(all, l2_reads), 0.02);
    assert_true(N(all, l2_reads) < 0.7 * (double)N(all, l1_gld_misses));
}

/* SMs that do the same stay together, so reads of the same line go as one as often; what is stored is known. */
static void what_sms_read_together_stays_so(void **state)
{
    (void)state;
    const struct result all = launch_on(&large, tiles, ALL, 1), some = launch_on(&large, tiles, 4 * ENOUGH, 1);
    assert_true(some.site[0].drawn.sent > 0);
    assert_int_equal(N(some.site[0], l1_gld_misses), N(all.site[0], l1_gld_misses));
    near(N(some.site[0], l2_reads), N(all.site[0], l2_reads), 0.03);
    near(N(some.site[0], dram_reads), N(all.site[0], dram_reads), 0.05);
    assert_true(N(all.site[0], l2_reads) < N(all.site[0], l1_gld_misses) / 2);
    assert_int_equal(N(some.site[1], l2_writes), N(all.site[1], l2_writes));
}

/* However few their lines are. */
static void atomics_are_all_counted(void **state)
{
    (void)state;
    const struct result all = launch(counters, ALL, 1), some = launch(counters, ENOUGH, 1);
    assert_true(some.site[1].drawn.sent > 0);
    assert_int_equal(N(some.site[0], l2_reds), N(all.site[0], l2_reds));
    assert_int_equal(N(some.site[1], l2_atoms), N(all.site[1], l2_atoms));
    near(some.hot.sector, all.hot.sector, 0.01);
    near(some.hot.slice[HOT_ATOMICS], all.hot.slice[HOT_ATOMICS], 0.01);
    assert_int_equal(N(some.site[2], l2_writes), N(all.site[2], l2_writes)); /* of one line, looked up or not */
}

/* Some of those of other lines stand for all when there are too many of them, too. */
static void so_are_very_many(void **state)
{
    (void)state;
    const struct result all = launch(counters, ALL, 1), some = launch(counters, ENOUGH / 16, 1);
    near(N(some.site[0], l2_reds), N(all.site[0], l2_reds), 0.01);
    near(N(some.site[1], l2_atoms), N(all.site[1], l2_atoms), 0.01);
    near(some.hot.sector, all.hot.sector, 0.05); /* by 600 of 77,000 of each SM */
}

static void workers_change_nothing(void **state)
{
    (void)state;
    static const block_fn blocks[] = {gathers, tiles, counters};
    for (u32 k = 0; k < 3; k++) {
        const struct result one = launch(blocks[k], ENOUGH, 1);
        for (u32 n = 2; n <= MOST_WORKERS; n++) {
            const struct result other = launch(blocks[k], ENOUGH, n);
            assert_memory_equal(&one, &other, sizeof one);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathers_are_as_all_of_them),
        cmocka_unit_test(what_l1_has_is_no_turn),
        cmocka_unit_test(what_sms_read_together_stays_so),
        cmocka_unit_test(atomics_are_all_counted),
        cmocka_unit_test(so_are_very_many),
        cmocka_unit_test(workers_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
