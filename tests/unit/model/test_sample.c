/* test_sample.c - which lines stand for all, how they are numbered, and what their counts then say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/cache/l1/l1.h"
#include "model/cache/sample.h"

/* Of each aligned run of so many lines of a half of L2 one is kept, and those are numbered one after the other. */
static void what_is_contiguous_is_kept_evenly(void **state)
{
    (void)state;
    enum { LINES = 1 << 14 };
    static u8 seen[LINES];
    for (u32 one_in = 1; one_in <= SAMPLE_MOST; one_in *= 2) {
        memset(seen, 0, sizeof seen);
        for (u64 number = 0; number < LINES; number++) {
            if (!sample_keeps(number, one_in))
                continue;
            const u64 among = sample_number(number, one_in);
            assert_true(among < LINES / one_in);
            assert_false(seen[among]++);
            assert_int_equal(sample_line(among, one_in), number);
        }
        for (u32 k = 0; k < LINES / one_in; k++)
            assert_true(seen[k]);
    }
}

static void fewer_are_some_of_more(void **state)
{
    (void)state;
    for (u64 number = 1ull << 38; number < (1ull << 38) + 100000; number += 7)
        for (u32 one_in = 2; one_in < SAMPLE_MOST; one_in *= 2)
            assert_true(sample_keeps(number, one_in) || !sample_keeps(number, 2 * one_in));
}

/* Whatever stands above the numbers. */
static void many_at_once_are_as_one_by_one(void **state)
{
    (void)state;
    u64 request[64], random = 1;
    for (u32 round = 0; round < 2000; round++) {
        const u32 n = round % 65, one_in = 1u << round % (SAMPLE_BITS + 1);
        u64 kept = 0;
        u32 sectors = 0;
        for (u32 k = 0; k < n; k++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            request[k] = random ^ random >> 29;
            kept |= (u64)sample_keeps(request_number(request[k]), one_in) << k;
            sectors += sectors_in(request_sectors(request[k]));
        }
        assert_true(sample_kept(request, n, one_in) == kept);
        assert_int_equal(requests_sectors(request, n), sectors);
    }
}

/* Of rows of any power of two about as many as of all; and of a column of them. */
static void what_is_a_power_of_two_apart_is_kept_too(void **state)
{
    (void)state;
    enum { LINES = 1 << 14, ONE_IN = 8 };
    for (u32 apart = 1; apart <= 1 << 20; apart *= 2) {
        u32 kept = 0;
        for (u64 k = 0; k < LINES; k++)
            kept += sample_keeps(k * apart, ONE_IN);
        if (kept < LINES / ONE_IN * 9 / 10 || kept > LINES / ONE_IN * 11 / 10)
            fail_msg("%u of %u that are %u lines apart", kept, LINES, apart);
    }
}

/* What L1 holds of the lines that stay it holds when it is half as large. */
static void l1_keeps_what_stays(void **state)
{
    (void)state;
    enum { LINES = 1024 };
    struct cache l1 = {0};
    assert_true(l1_empty(&l1, (u64)LINES * CACHE_LINE));
    for (u64 number = 0; number < LINES; number++)
        assert_int_equal(l1_ask(&l1, TRAFFIC_LOAD, number, 1 + number % 15), 0);
    for (u32 one_in = 2; one_in <= sample_most(LINES); one_in *= 2) {
        assert_true(l1_thin(&l1, one_in / 2, one_in));
        u32 there = 0;
        for (u64 k = 0; k < (u64)l1.nsets * l1.ways; k++)
            there += l1.lines[k].held == l1.stamp;
        assert_int_equal(there, LINES / one_in);
    }
    u64 found = 0;
    const u32 most = sample_most(LINES);
    for (u64 number = 0; number < LINES; number++)
        if (sample_keeps(number, most))
            found += l1_ask(&l1, TRAFFIC_LOAD, sample_number(number, most), 15) == 1 + number % 15;
    assert_int_equal(found, LINES / most);
    cache_free(&l1);
}

/* 1000 sectors were asked for, of which the lines that were looked up stand for 800: half of them hits. 300 are said to have gone on, of which those
 * that L2 looked up stand for 200. */
static void counts_are_what_was_asked_for(void **state)
{
    (void)state;
    u64 n[TRAFFIC_COUNT] = {[TRAFFIC_l1_gld_hits] = 400, [TRAFFIC_l1_gld_misses] = 400, [TRAFFIC_l2_reads] = 160,
                            [TRAFFIC_l2_read_hits] = 80, [TRAFFIC_l2_atoms] = 7,        [TRAFFIC_l2_settles] = 9};
    sample_scale(n, &(struct traffic_drawn){.beyond = 200, .sent = 300, .looked_up = 200});
    assert_int_equal(n[TRAFFIC_l1_gld_hits], 500);
    assert_int_equal(n[TRAFFIC_l1_gld_misses], 500);
    assert_int_equal(n[TRAFFIC_l2_reads], 300); /* 160 x 300 / 200 x 1000 / 800 */
    assert_int_equal(n[TRAFFIC_l2_read_hits], 150);
    assert_int_equal(n[TRAFFIC_l2_atoms], 7); /* all were counted */
    assert_int_equal(n[TRAFFIC_l2_settles], 9);
}

/* 1000 sectors were read, of which those that were looked up stand for 800: a quarter of them came from DRAM. What was not looked up mostly hits. */
static void what_is_read_often_does_not_miss(void **state)
{
    (void)state;
    u64 n[TRAFFIC_COUNT] = {[TRAFFIC_l1_gld_misses] = 1000, [TRAFFIC_l2_reads] = 800,    [TRAFFIC_l2_read_hits] = 400,
                            [TRAFFIC_l2_far_reads] = 400,   [TRAFFIC_l2_far_hits] = 200, [TRAFFIC_dram_reads] = 200};
    sample_scale(n, &(struct traffic_drawn){.sent = 1000, .looked_up = 800});
    assert_int_equal(n[TRAFFIC_l2_reads], 1000);
    assert_in_range(n[TRAFFIC_dram_reads], 211, 214); /* 200 and a quarter of 50 */
    assert_in_range(n[TRAFFIC_l2_read_hits] + n[TRAFFIC_l2_far_hits] + n[TRAFFIC_dram_reads], 998, 1002);
    assert_in_range(n[TRAFFIC_l2_read_hits], 524, 526);
    u64 all[TRAFFIC_COUNT] = {[TRAFFIC_l1_gld_misses] = 1000, [TRAFFIC_l2_reads] = 800, [TRAFFIC_dram_reads] = 800};
    sample_scale(all, &(struct traffic_drawn){.sent = 1000, .looked_up = 800}); /* nothing was asked for twice */
    assert_int_equal(all[TRAFFIC_dram_reads], 1000);
}

static void a_site_without_a_line_asks_for_what_is_there(void **state)
{
    (void)state;
    u64 load[TRAFFIC_COUNT] = {[TRAFFIC_l1_gld_misses] = 100}, store[TRAFFIC_COUNT] = {[TRAFFIC_l1_gst_hits] = 100};
    sample_scale(load, &(struct traffic_drawn){.sent = 100});
    sample_scale(store, &(struct traffic_drawn){.sent = 100});
    assert_int_equal(load[TRAFFIC_l2_reads], 100);
    assert_int_equal(load[TRAFFIC_l2_read_hits], 100);
    assert_int_equal(store[TRAFFIC_l2_writes], 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_contiguous_is_kept_evenly),
        cmocka_unit_test(fewer_are_some_of_more),
        cmocka_unit_test(many_at_once_are_as_one_by_one),
        cmocka_unit_test(what_is_a_power_of_two_apart_is_kept_too),
        cmocka_unit_test(l1_keeps_what_stays),
        cmocka_unit_test(counts_are_what_was_asked_for),
        cmocka_unit_test(what_is_read_often_does_not_miss),
        cmocka_unit_test(a_site_without_a_line_asks_for_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
