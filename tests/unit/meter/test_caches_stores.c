/* test_caches_stores.c - stores, atomics, fences, and what passes L1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "caches_bench.h"

static void fence(struct bench *b, u64 linear, u32 warp)
{
    const struct exec_block_info i = bench_block(linear);
    caches_order(b->worker[bench_owner(b, linear)], &i, warp, 0, ORDER_EMPTIES);
}

/* A warp that looks at one word over and over waits: two looks are kept, also if each acquires. */
static void polls_count_twice(void **state)
{
    (void)state;
    for (u32 acquires = 0; acquires < 2; acquires++) {
        struct bench b;
        bench_begin(&b, &one_l2, 1, 1, 4);
        bench_start(&b, 0);
        for (u32 k = 0; k < 100; k++) {
            bench_access(&b, 0, 0, 0, TRAFFIC_LOAD_PAST, 4096, 0);
            if (acquires)
                fence(&b, 0, 0);
        }
        bench_stop(&b, 0);
        bench_finish(&b);
        assert_int_equal(N(bench_end(&b, 0), l2_reads), 2);
    }
}

/* Two sectors for each slice of L2 that was asked for something since the fence before, at the end of the launch for each that ever was: 256 bytes are
 * in one. What L1 has asks for nothing. */
static void fences_ask_the_slices_that_were_asked(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    const struct exec_block_info i = bench_block(0);
    bench_start(&b, 0);
    bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 0, 4);
    bench_access(&b, 0, 0, 0, TRAFFIC_STORE, 128, 4);
    bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 256, 4);
    for (u32 k = 0; k < 2; k++) {
        caches_order(b.worker[0], &i, 0, b.first[0] + 1, ORDER_SETTLES);
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 0, 4);
    }
    bench_access(&b, 0, 0, 0, TRAFFIC_STORE, 0, 4);
    bench_stop(&b, 0);
    assert_true(caches_finish(b.caches));
    assert_int_equal(N(bench_end(&b, 1), l2_settles), 4);
    assert_int_equal(N(bench_end(&b, 0), l2_settles), 0);
    assert_int_equal(N(*caches_rest(b.worker[0]), l2_settles), 4); /* at the end */
    caches_free(b.caches);
}

/* What L1 has is read again behind a fence, of whichever warp. */
static void fences_empty_l1(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u32 k = 0; k < 10; k++)
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 4096, 4);
    fence(&b, 0, 0);
    for (u32 k = 0; k < 10; k++)
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 4096, 4);
    bench_stop(&b, 0);
    bench_start(&b, 4);
    bench_access(&b, 4, 0, 1, TRAFFIC_LOAD, 4096, 4);
    fence(&b, 4, 1);
    for (u32 k = 0; k < 10; k++)
        bench_access(&b, 4, 0, 1, TRAFFIC_LOAD, 4096, 4);
    bench_stop(&b, 4);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_reads), 8);
    assert_int_equal(N(bench_end(&b, 1), l2_reads), 4);
    assert_int_equal(N(bench_end(&b, 1), l1_gld_hits), 4 * 10);
}

/* What an H200's counters show: a store hits where something was before it, and goes on to L2 all the same. */
static void stores_are_written_through(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 0, 4);
    bench_access(&b, 0, 0, 1, TRAFFIC_STORE, 0, 4);
    bench_access(&b, 0, 0, 2, TRAFFIC_LOAD, 4096, 4);
    bench_access(&b, 0, 0, 3, TRAFFIC_STORE, 8192, 4);
    bench_access(&b, 0, 0, 4, TRAFFIC_LOAD, 8192, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 1), l1_gst_hits), 4);
    assert_int_equal(N(bench_end(&b, 1), l2_writes), 4);
    assert_int_equal(N(bench_end(&b, 3), l1_gst_misses), 4);
    assert_int_equal(N(bench_end(&b, 4), l1_gld_hits), 4);
}

/* Those of a loop do not: other instructions are between them. Nor do single words of sectors. */
static void stores_of_a_loop_go_alone(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u32 word = 0; word < 4; word++)
        bench_access(&b, 0, 0, 0, TRAFFIC_STORE, word * 4, 16);
    bench_access(&b, 0, 0, 4, TRAFFIC_LOAD, 1 << 16, 4);
    for (u32 word = 0; word < 4; word++)
        bench_access(&b, 0, 0, word % 2 + 1, TRAFFIC_STORE, (1 << 15) + word * 4, 32);
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_writes), 4 * 16);
    assert_int_equal(N(bench_end(&b, 1), l2_writes) + N(bench_end(&b, 2), l2_writes), 4 * 32);
}

/* `fields` stores of `bytes` a lane, which fill a struct of each; behind a load another one of the first field. in_row: they stand next to
 * each other in machine code. cycles: that the block takes its schedulers; 0: not known. */
static void store_fields(struct bench *b, u32 fields, u32 bytes, bool in_row, u64 cycles)
{
    u8 how[MOST_SITES] = {0};
    for (u32 k = 0; k < fields && in_row; k++)
        how[k] = SITE_ROW | (k ? SITE_AFTER : 0);
    bench_begin(b, &one_l2, 1, 1, 4);
    b->first[0] = caches_add_sites(b->worker[0], b->rows[0], how, MOST_SITES);
    bench_start(b, 0);
    for (u32 k = 0; k < fields; k++)
        bench_access_of(b, 0, 0, k, TRAFFIC_STORE, k * bytes, fields * bytes, bytes);
    bench_access(b, 0, 0, fields, TRAFFIC_LOAD, 1 << 16, 4);
    bench_access_of(b, 0, 0, fields + 1, TRAFFIC_STORE, 0, fields * bytes, bytes);
    const struct exec_block_info i = bench_block(0);
    if (cycles)
        caches_pace(b->worker[0], &i, cycles);
    bench_stop(b, 0);
    bench_finish(b);
}

static void stores_that_follow_each_other_go_together(void **state)
{
    (void)state;
    struct bench b;
    store_fields(&b, 4, 4, true, 0); /* four lines a store, 16 sectors */
    assert_int_equal(N(bench_end(&b, 0), l2_writes), 16);
    assert_int_equal(N(bench_end(&b, 1), l2_writes) + N(bench_end(&b, 2), l2_writes) + N(bench_end(&b, 3), l2_writes),
                     0);
    assert_int_equal(N(bench_end(&b, 3), l1_gst_hits), 16);
    assert_int_equal(N(bench_end(&b, 5), l2_writes), 16); /* a load in between parts them */
    store_fields(&b, 4, 8, true,
                 0); /* eight lines a store, 32 sectors: if L1 is busy, those of warps that only store come too late */
    assert_int_equal(N(bench_end(&b, 0), l2_writes), 32);
    assert_int_equal(N(bench_end(&b, 1), l2_writes) + N(bench_end(&b, 2), l2_writes) + N(bench_end(&b, 3), l2_writes),
                     3 * 8 * 4);
}

/* Where warps have much else to do, those wait that stand next to each other, of words too, and no others. */
static void stores_that_stand_apart_go_alone(void **state)
{
    (void)state;
    struct bench b;
    for (u32 in_row = 0; in_row < 2; in_row++) {
        store_fields(&b, 8, 4, in_row, 10000);
        u64 others = 0;
        for (u32 k = 1; k < 8; k++)
            others += N(bench_end(&b, k), l2_writes);
        assert_int_equal(N(bench_end(&b, 0), l2_writes), 32);
        assert_int_equal(others, in_row ? 0 : 7 * 32);
    }
}

/* A loop of which each turn fills a struct a lane: those of a turn go together, however many turns there are. */
static void stores_of_a_turn_go_together(void **state)
{
    enum { FIELDS = 4, STRUCT = FIELDS * 4, TURNS = 50 };
    (void)state;
    u8 how[MOST_SITES] = {SITE_ROW};
    struct bench b;
    for (u32 k = 1; k < FIELDS; k++)
        how[k] = SITE_ROW | SITE_AFTER;
    bench_begin(&b, &one_l2, 1, 1, 4);
    b.first[0] = caches_add_sites(b.worker[0], b.rows[0], how, MOST_SITES);
    bench_start(&b, 0);
    for (u64 turn = 0; turn < TURNS; turn++)
        for (u32 k = 0; k < FIELDS; k++)
            bench_access_of(&b, 0, 0, k, TRAFFIC_STORE, turn * 32 * STRUCT + k * 4, STRUCT, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_writes), TURNS * STRUCT);
    for (u32 k = 1; k < FIELDS; k++)
        assert_int_equal(N(bench_end(&b, k), l2_writes), 0);
}

/* Structs of three words, a store a field: each sector is filled, so nothing is read of the 3000 lines, though L2 keeps 950 that are
 * written in part. */
static void what_several_stores_fill_becomes_whole(void **state)
{
    enum { FIELDS = 3, STRUCT = FIELDS * 4, ROWS = 1000 };
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u64 row = 0; row < ROWS; row++) {
        for (u32 k = 0; k < FIELDS; k++)
            bench_access_of(&b, 0, 0, k, TRAFFIC_STORE, row * 32 * STRUCT + k * 4, STRUCT, 4);
        bench_access(&b, 0, 0, FIELDS, TRAFFIC_LOAD, 1 << 26, 4);
    }
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_writes), ROWS * STRUCT);
    for (u32 k = 0; k < FIELDS; k++)
        assert_int_equal(N(bench_end(&b, k), dram_reads) + N(bench_end(&b, k), l2_fills), 0);
}

/* Eight warps of four blocks store a word a lane: warp w word w of 32 rows that are so many bytes apart. Sectors that reach L2. */
static u64 sectors_of_columns(u64 pitch)
{
    enum { WARPS = 2, BLOCKS = 4 };
    struct bench b;
    bench_begin(&b, &one_l2, 1, BLOCKS, (u64)BLOCKS * SMS);
    for (u64 k = 0; k < BLOCKS; k++) {
        bench_start(&b, k * SMS);
        for (u32 w = 0; w < WARPS; w++)
            bench_access(&b, k * SMS, w, 0, TRAFFIC_STORE, (k * WARPS + w) * 4, pitch);
    }
    for (u64 k = 0; k < BLOCKS; k++)
        bench_stop(&b, k * SMS);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_writes) + N(bench_end(&b, 0), l1_served), BLOCKS * WARPS * 32);
    return N(bench_end(&b, 0), l2_writes);
}

static void stores_of_other_warps_to_the_same_lines_go_along(void **state)
{
    (void)state;
    assert_int_equal(sectors_of_columns(32),
                     8 * 32 - 26 * 4);                 /* eight lines a store: half of 56, but for two that have left */
    assert_int_equal(sectors_of_columns(128), 8 * 32); /* 32 lines: the one before has left */
}

/* A lane of each of eight warps stores the word of a row; where it has loaded much before, it comes alone. */
static u64 sectors_of_lone_words(u32 lines_between)
{
    enum { WARPS = 2, BLOCKS = 4 };
    struct bench b;
    bench_begin(&b, &one_l2, 1, BLOCKS, (u64)BLOCKS * SMS);
    for (u64 k = 0; k < BLOCKS; k++) {
        bench_start(&b, k * SMS);
        for (u32 w = 0; w < WARPS; w++) {
            const u64 warp = k * WARPS + w;
            u64 addr[32];
            for (u32 n = 0; n < warp * lines_between;
                 n++) /* each warp is so many instructions later than the one before */
                bench_access(&b, k * SMS, w, 0, TRAFFIC_LOAD, (1 << 20) + (warp * 64 + n) * 4096, 128);
            for (u32 lane = 0; lane < 32; lane++)
                addr[lane] = warp * 4;
            const struct exec_block_info i = bench_block(k * SMS);
            const struct exec_access a = {.mask = 1,
                                          .space = SPACE_GLOBAL,
                                          .size = 4,
                                          .pattern = PATTERN_GATHER,
                                          .warp = w,
                                          .block = &i,
                                          .addr = addr};
            caches_access(b.worker[0], b.first[0] + 1, TRAFFIC_STORE, &a);
        }
    }
    for (u64 k = 0; k < BLOCKS; k++)
        bench_stop(&b, k * SMS);
    bench_finish(&b);
    return N(bench_end(&b, 1), l2_writes);
}

static void lone_words_of_neighbouring_warps_go_together(void **state)
{
    (void)state;
    assert_in_range(sectors_of_lone_words(0), 2, 3); /* of seven that could go along, one in four does not */
    assert_int_equal(sectors_of_lone_words(2), 8);
}

static void volatile_loads_pass_l1(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u32 k = 0; k < 2; k++) {
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD_PAST, 0, 4);
        bench_access(&b, 0, 0, 1, TRAFFIC_LOAD, 0, 4);
    }
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l1_gld_misses), 8);
    assert_int_equal(N(bench_end(&b, 0), l2_reads), 8);
    assert_int_equal(N(bench_end(&b, 1), l1_gld_misses), 8); /* each time after the volatile one */
}

/* 32 lanes at one address: 32 requests, measured (reduceTotalAtomicThread); at 32 neighbours: one of 4 sectors. */
static void atomics_of_one_element_queue_up(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    bench_access(&b, 0, 0, 0, TRAFFIC_RED, 0, 0);
    bench_access(&b, 0, 0, 1, TRAFFIC_RED, 4096, 4);
    bench_stop(&b, 0);
    assert_true(caches_finish(b.caches));
    assert_int_equal(N(bench_end(&b, 0), l2_reds), 32);
    assert_int_equal(N(bench_end(&b, 0), dram_reads), 1);
    assert_int_equal(N(bench_end(&b, 1), l2_reds), 4);
    assert_int_equal(caches_hot(b.caches)->slice[HOT_ATOMICS], 32);
    caches_free(b.caches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_of_a_loop_go_alone),
        cmocka_unit_test(polls_count_twice),
        cmocka_unit_test(fences_ask_the_slices_that_were_asked),
        cmocka_unit_test(fences_empty_l1),
        cmocka_unit_test(stores_are_written_through),
        cmocka_unit_test(stores_that_follow_each_other_go_together),
        cmocka_unit_test(stores_that_stand_apart_go_alone),
        cmocka_unit_test(stores_of_a_turn_go_together),
        cmocka_unit_test(what_several_stores_fill_becomes_whole),
        cmocka_unit_test(stores_of_other_warps_to_the_same_lines_go_along),
        cmocka_unit_test(lone_words_of_neighbouring_warps_go_together),
        cmocka_unit_test(volatile_loads_pass_l1),
        cmocka_unit_test(atomics_of_one_element_queue_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
