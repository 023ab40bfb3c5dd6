/* test_caches_l2.c - L2, its halves and its groups of SMs, DRAM, the host's memory, and who served what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "caches_bench.h"

/* 2 MiB twice through 1 MiB of L2, least recently used: nothing is left of the first time. */
static void more_than_l2_comes_from_dram_again(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 8);
    bench_start(&b, 0);
    for (u32 round = 0; round < 2; round++)
        for (u64 line = 0; line < 16384; line++)
            bench_access(&b, 0, 0, round, TRAFFIC_LOAD, line * 128, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 1), l1_gld_hits), 0);
    assert_int_equal(N(bench_end(&b, 1), dram_reads), 65536);
}

/* Twice as much as L2 holds: 46.7 % of it stays dirty. Besides, 3.8 % of L2 were dirty before the launch. */
static void dirty_lines_are_written_when_they_leave(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 8);
    bench_start(&b, 0);
    for (u64 line = 0; line < 16384; line++)
        bench_access(&b, 0, 0, 0, TRAFFIC_STORE, line * 128, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    const u64 kept = 32768 * 467 / 1000, before = 32768 * 384 / 10000;
    assert_in_range(N(bench_end(&b, 0), dram_writes), 65536 - kept + before - 200, 65536 - kept + before + 200);
}

/* 9 lines for each set of 16, of which 7 or 8 may be dirty, are written eight times. Any of those that are dirty goes for one that becomes dirty: some
 * of the lines each time. If the oldest went it would be all of them. 6 lines stay. */
static void some_of_what_is_written_again_goes_each_time(void **state)
{
    (void)state;
    enum { ROUNDS = 8, SETS = 512 };
    for (u32 lines = 6; lines <= 9; lines += 3) {
        struct bench b;
        bench_begin(&b, &one_l2, 1, 1, 8);
        bench_start(&b, 0);
        for (u32 round = 0; round < ROUNDS; round++)
            for (u64 line = 0; line < lines * SETS; line++)
                bench_access(&b, 0, 0, 0, TRAFFIC_STORE, line * 128, 4);
        bench_stop(&b, 0);
        bench_finish(&b);
        const u64 writes = N(bench_end(&b, 0), dram_writes), all = ROUNDS * lines * SETS * 4;
        if (lines == 6)
            assert_in_range(writes, 0, all / 400);
        else
            assert_in_range(writes, all / 5, all / 2);
    }
}

/* As many lines as 6 for each set, anywhere: some sets have more than may be dirty. */
static void a_set_with_many_dirty_lines_writes_though_others_have_few(void **state)
{
    (void)state;
    enum { LINES = 6 * 512, SPACE = 1 << 20 };
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 8);
    bench_start(&b, 0);
    for (u64 k = 0; k < LINES; k++) {
        const u64 h = (k + 1) * 0x9e3779b97f4a7c15ull;
        bench_access(&b, 0, 0, 0, TRAFFIC_STORE, ((h ^ h >> 31) * 0xbf58476d1ce4e5b9ull >> 32) % SPACE * 128, 4);
    }
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_in_range(N(bench_end(&b, 0), dram_writes), LINES * 4 / 25, LINES * 4 / 8);
}

/* What was dirty before the launch, or clean, is the oldest in its set and goes as that fills: 12 of 16 lines leave it all where it is, 16 none. */
static void what_was_dirty_before_goes_as_l2_fills(void **state)
{
    (void)state;
    const u64 lines[] = {6144, 7168, 8192}, before = 32768 * 384 / 10000;
    const double least[] = {0, 0.23, 0.9}, most[] = {0, 0.43, 1.1};
    for (u32 k = 0; k < 3; k++) {
        struct bench b;
        bench_begin(&b, &one_l2, 1, 1, 8);
        bench_start(&b, 0);
        for (u64 line = 0; line < lines[k]; line++)
            bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, line * 128, 4);
        bench_stop(&b, 0);
        bench_finish(&b);
        const double gone = (double)N(bench_end(&b, 0), dram_writes) / (double)before;
        assert_true(gone >= least[k] && gone <= most[k]);
    }
}

/* A word of each sector, in more lines than L2 keeps partly written: the older sectors are read, and then written. Words that fill
 * their sectors are not. */
static void partly_written_sectors_are_read_before_they_leave(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u64 line = 0; line < 2048; line += 8)
        bench_access(&b, 0, 0, 0, TRAFFIC_STORE, line * 128, 32);
    for (u64 line = 4096; line < 6144; line += 8)
        bench_access(&b, 0, 0, 1, TRAFFIC_STORE, line * 128, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    const u64 kept = 8192 * 116 / 1000 * 4, fills = N(bench_end(&b, 0), l2_fills);
    assert_in_range(fills, 8192 - kept - 8, 8192 - kept + 8);
    assert_int_equal(N(bench_end(&b, 0), dram_reads), fills);
    assert_int_equal(N(bench_end(&b, 0), dram_writes), fills);
    assert_in_range(N(bench_end(&b, 1), l2_fills), 0, 4); /* the last one of the others' */
}

/* Between the halves 64 bytes go at least, as from DRAM: a sector of each line is two. */
static void the_other_half_sends_pairs(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &two_halves, 1, 1, 4);
    bench_start(&b, 0);
    for (u64 line = 0; line < 1024; line += 32)
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, line * 128, 128);
    bench_stop(&b, 0);
    bench_finish(&b);
    const struct traffic t = bench_end(&b, 0);
    assert_int_equal(N(t, l2_reads), 1024);
    assert_int_equal(N(t, dram_reads), 2048);
    assert_in_range(N(t, l2_far_reads), 2048 * 45 / 100, 2048 * 55 / 100);
}

/* SMs that wait for the same word look together, but for one in four; what one SM looks at again is asked for again. */
static void looks_of_several_sms_go_together(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &two_halves, 1, 1, 4);
    bench_start(&b, 0);
    bench_start(&b, 1);
    for (u64 word = 0; word < 64; word++)
        for (u64 sm = 0; sm < 2; sm++) {
            bench_access(&b, sm, 0, 0, TRAFFIC_LOAD_PAST, word * 1024, 0);
            bench_access(&b, sm, 0, 1, TRAFFIC_LOAD_PAST, (1 << 19) + sm * 65536, 4 + 4 * sm * (word % 2));
        }
    bench_stop(&b, 0);
    bench_stop(&b, 1);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_reads), 64 + 64 / 4);
    assert_int_equal(N(bench_end(&b, 1), l2_reads), 64 * 4 + 32 * 4 + 32 * 8);
}

/* Two halves: what is not at home in the SM's half is asked for twice, on the average half of the lines. */
static void the_other_half_is_asked(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &two_halves, 1, 1, 4);
    bench_start(&b, 0);
    for (u64 line = 0; line < 2048; line++)
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, line * 128, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    const struct traffic t = bench_end(&b, 0);
    assert_int_equal(N(t, l2_reads), 8192);
    assert_int_equal(N(t, dram_reads), 8192);
    assert_int_equal(N(t, l2_far_hits), 0);
    assert_in_range(N(t, l2_far_reads), 8192 * 45 / 100, 8192 * 55 / 100);
}

/* SMs 0 and 1 are of one group, 8 is of another. What the second SM of a group asks for is on its way, but for a line of which
 * it wants other sectors. */
static void a_group_asks_once(void **state)
{
    (void)state;
    struct bench b;
    static const u64 blocks[] = {0, 1, 8};
    bench_begin(&b, &two_halves, 1, 1, 28);
    for (u64 k = 0; k < 3; k++) {
        bench_start(&b, blocks[k]);
        for (u64 line = 0; line < 16; line++)
            bench_access(&b, blocks[k], 0, (u32)k, TRAFFIC_LOAD, line * 128, line < 8 ? 4 : k);
        bench_stop(&b, blocks[k]);
    }
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_reads), 8 * 4 + 8);
    assert_int_equal(N(bench_end(&b, 1), l2_reads),
                     8 * 2 + 2 * 4); /* one in four comes alone; 32 lanes a byte apart: two sectors */
    assert_int_equal(N(bench_end(&b, 2), l2_reads), 8 * 4 + 8 * 3);
}

/* ---- the host's memory ---- */

/* Of two allocations, not in their order, each with device memory behind it. L2 keeps nothing, so a second SM asks again. */
static void the_host_serves_its_own_memory(void **state)
{
    (void)state;
    static const struct address_range ranges[] = {{1 << 20, 4096}, {1 << 16, 8192}};
    struct bench b;
    bench_host = ranges;
    bench_nhost = 2;
    bench_begin(&b, &one_l2, 1, 2, 2);
    bench_host = NULL;
    bench_nhost = 0;
    for (u64 k = 0; k < 2; k++) {
        bench_start(&b, k);
        bench_access(&b, k, 0, 0, TRAFFIC_LOAD, 1 << 16, 4);
        bench_access(&b, k, 0, 0, TRAFFIC_LOAD, 1 << 16, 4);
        bench_stop(&b, k);
    }
    bench_start(&b, 0);
    bench_access(&b, 0, 0, 1, TRAFFIC_LOAD, 1 << 20, 128);
    bench_access(&b, 0, 0, 2, TRAFFIC_STORE, (1 << 16) + 2048, 4);
    bench_access(&b, 0, 0, 3, TRAFFIC_STORE, (1 << 16) + 4096, 128);
    bench_access(&b, 0, 0, 4, TRAFFIC_RED, (1 << 16) + 4096, 32);
    bench_access(&b, 0, 0, 5, TRAFFIC_LOAD, (1 << 16) + 8192, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    const struct traffic line = bench_end(&b, 0), words = bench_end(&b, 1), whole = bench_end(&b, 2),
                         part = bench_end(&b, 3), reds = bench_end(&b, 4);
    assert_int_equal(N(line, host_reads), 2 * 4); /* twice the SM's own L1 */
    assert_int_equal(N(line, dram_reads), 0);
    assert_in_range(N(line, host_bytes), 2 * 126, 2 * 129);
    assert_int_equal(N(words, host_reads), 32);
    assert_int_equal(N(words, host_bytes), 32 * 70);
    assert_int_equal(N(whole, host_writes), 4);
    assert_int_equal(N(whole, host_bytes), 128);
    assert_int_equal(N(part, host_writes), 32);
    assert_int_equal(N(part, host_bytes), 32 * 100);
    assert_int_equal(N(reds, host_writes), 32);
    assert_int_equal(N(reds, host_bytes), 32 * 110);
    assert_int_equal(N(bench_end(&b, 5), host_reads), 0);
    assert_int_equal(N(bench_end(&b, 5), dram_reads), 4);
    assert_float_equal(traffic_served(b.rows[0][1].n).host, 1, 1e-6);
    assert_float_equal(traffic_served(b.rows[0][2].n).host, 1, 1e-6);
    assert_float_equal(traffic_served(b.rows[0][4].n).host, 1, 1e-6);
    assert_float_equal(traffic_served(b.rows[0][5].n).host, 0, 0);
}

/* ---- who served ---- */

static void assert_served(const struct bench *b, u32 site, double l1, double l2, double dram)
{
    const struct served s = traffic_served(b->rows[0][site].n);
    assert_float_equal(s.l1, l1, 1e-6);
    assert_float_equal(s.near + s.far, l2, 1e-6);
    assert_float_equal(s.dram, dram, 1e-6);
    assert_float_equal(s.l1 + s.near + s.far + s.dram, 1, 1e-6);
}

/* Each kind of access: what it asked for came from somewhere, and the shares say where. */
static void every_kind_of_access_says_who_served_it(void **state)
{
    (void)state;
    struct bench b;
    const u64 first_word[32] = {0};
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u32 k = 0; k < 4; k++) {
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD, 0, 4);
        bench_access(&b, 0, 0, 4, TRAFFIC_ATOM, 16384, 0); /* 32 lanes at one word */
    }
    for (u32 k = 0; k < 4; k++) /* of two instructions, in turn, four lines each: the first reaches L2 */
        bench_access(&b, 0, 0, k % 2 ? 8 : 2, TRAFFIC_STORE, 8192 + 4 * k, 16);
    for (u32 k = 0; k < 2; k++) {
        bench_access(&b, 0, 0, 1, TRAFFIC_LOAD_PAST, 4096, 4);
        bench_access(&b, 0, 0, 5, TRAFFIC_RED, 32768, 4);
    }
    bench_access(&b, 0, 0, 3, TRAFFIC_STORE_PAST, 0, 4);
    bench_lanes(&b, 0, 0, 6, TRAFFIC_LOCAL_STORE, first_word, 4, SPACE_LOCAL);
    bench_lanes(&b, 0, 0, 7, TRAFFIC_LOCAL_LOAD, first_word, 4, SPACE_LOCAL);
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_served(&b, 0, 0.75, 0, 0.25);
    assert_served(&b, 1, 0, 0.5, 0.5);
    for (u32 e = 0; e < TRAFFIC_COUNT; e++)
        b.rows[0][2].n[e] += b.rows[0][8].n[e];
    assert_served(&b, 2, 0.75, 0.25, 0);
    assert_served(&b, 3, 0, 1, 0);
    assert_served(&b, 4, 0, 127 / 128.0, 1 / 128.0);
    assert_served(&b, 5, 0, 0.5, 0.5);
    assert_served(&b, 6, 0, 1, 0);
    assert_served(&b, 7, 1, 0, 0);
    const struct traffic nothing = {0};
    const struct served none = traffic_served(nothing.n);
    assert_true(none.l1 == 0 && none.near == 0 && none.far == 0 && none.dram == 0);
}

/* Half of the lines are at home in the other half of L2. What a first SM took in, a second one at the other half finds
 * near where it is at home, else far; a third one, at the first one's half, finds all of it near. */
static void the_halves_of_l2_serve_their_share(void **state)
{
    (void)state;
    struct bench b;
    static const u64 blocks[] = {0, 21, 1}; /* 21 is at the other half */
    bench_begin(&b, &two_halves, 1, 1, 28);
    for (u64 k = 0; k < 3; k++) {
        bench_start(&b, blocks[k]);
        for (u64 wait = 0; wait < k * 600; wait++) /* SMs are taken in turn: so that it comes later */
            bench_access(&b, blocks[k], 0, 7, TRAFFIC_LOAD_PAST, 1 << 18, 0);
        for (u64 line = 0; line < 512; line++)
            bench_access(&b, blocks[k], 0, (u32)k, TRAFFIC_LOAD_PAST, line * 128, 4);
        bench_stop(&b, blocks[k]);
    }
    bench_finish(&b);
    const struct served other = traffic_served(b.rows[0][1].n), same = traffic_served(b.rows[0][2].n);
    assert_served(&b, 0, 0, 0, 1);
    assert_served(&b, 1, 0, 1, 0);
    assert_true(other.near > 0.4 && other.far > 0.4);
    assert_float_equal(same.near, 1, 1e-6);
}

static void the_most_wanted_slices_are_told(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u32 k = 0; k < 100; k++) {
        bench_access(&b, 0, 0, 0, TRAFFIC_LOAD_PAST, 0, 0); /* a sector of line 0 */
        bench_access(&b, 0, 0, 1, TRAFFIC_STORE_PAST, 128 * (k % 2), 0);
        bench_access(&b, 0, 0, 2, TRAFFIC_LOAD, 1 << 16, 0); /* L1 has it but for the first time */
        bench_access(&b, 0, 0, 3, TRAFFIC_RED, 4096, 4);
        bench_access(&b, 0, 0, 3, TRAFFIC_RED, 4096 + (k % 2 ? 512 : 256),
                     4); /* the third quarter of a KiB is where the first is */
    }
    bench_stop(&b, 0);
    assert_true(caches_finish(b.caches));
    const struct l2_hot *hot = caches_hot(b.caches);
    assert_int_equal(hot->slice[HOT_LOADS], 100);
    assert_int_equal(hot->slice[HOT_STORES], 100); /* neighbours share a slice */
    assert_int_equal(hot->slice[HOT_ATOMICS], 600);
    assert_int_equal(hot->sector, 100);
    assert_int_equal(hot->slice_all, 600);
    caches_free(b.caches);
}

/* ---- grids of one tree ---- */

/* A block loads or stores n lines from the start of memory; what became of it. */
static struct traffic grid_behind(struct bench *b, struct caches *before, enum traffic_kind kind, u64 lines)
{
    bench_begin_behind(b, before, &one_l2, 1, 1, 1);
    bench_start(b, 0);
    for (u64 line = 0; line < lines; line++)
        bench_access(b, 0, 0, 0, kind, line * 128, 4);
    bench_stop(b, 0);
    assert_true(caches_finish(b->caches));
    const struct traffic t = bench_end(b, 0);
    caches_end(b->caches);
    return t;
}

/* 8192 lines are all of L2: it keeps what was read and written, L1 nothing. What is dirty still goes to DRAM when it has to leave. */
static void a_grid_finds_what_those_before_it_left(void **state)
{
    (void)state;
    struct bench b;
    grid_behind(&b, NULL, TRAFFIC_STORE, 64);
    struct traffic t = grid_behind(&b, b.caches, TRAFFIC_LOAD, 128);
    assert_int_equal(N(t, l1_gld_hits), 0);
    assert_int_equal(N(t, l2_reads), 512);
    assert_int_equal(N(t, l2_read_hits), 256);
    assert_int_equal(N(t, dram_reads), 256);
    t = grid_behind(&b, b.caches, TRAFFIC_LOAD, 128);
    assert_int_equal(N(t, l2_read_hits), 512);
    assert_int_equal(N(t, dram_reads), 0);
    t = grid_behind(&b, b.caches, TRAFFIC_LOAD, 32768);
    assert_true(N(t, dram_writes) >= 256);
    caches_free(b.caches);
    t = grid_behind(&b, NULL, TRAFFIC_LOAD, 128);
    assert_int_equal(N(t, dram_reads), 512);
    caches_free(b.caches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_l2_comes_from_dram_again),
        cmocka_unit_test(dirty_lines_are_written_when_they_leave),
        cmocka_unit_test(some_of_what_is_written_again_goes_each_time),
        cmocka_unit_test(a_set_with_many_dirty_lines_writes_though_others_have_few),
        cmocka_unit_test(partly_written_sectors_are_read_before_they_leave),
        cmocka_unit_test(the_other_half_sends_pairs),
        cmocka_unit_test(what_was_dirty_before_goes_as_l2_fills),
        cmocka_unit_test(looks_of_several_sms_go_together),
        cmocka_unit_test(the_other_half_is_asked),
        cmocka_unit_test(a_group_asks_once),
        cmocka_unit_test(the_host_serves_its_own_memory),
        cmocka_unit_test(every_kind_of_access_says_who_served_it),
        cmocka_unit_test(the_halves_of_l2_serve_their_share),
        cmocka_unit_test(the_most_wanted_slices_are_told),
        cmocka_unit_test(a_grid_finds_what_those_before_it_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
