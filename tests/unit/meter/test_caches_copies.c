/* test_caches_copies.c - what a half of L2 keeps of lines that are at home in the other, and who takes it away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "caches_bench.h"

/* SM 0 and another one, at the other half, take turns: what the other one is not to do it does elsewhere. Lines are a KiB apart, so a line
 * is in L1 no longer when its turn comes again. */
enum { LINES = 256, SECTORS = 4 * LINES, OTHER = 21, STEPS = 3, SITES = 4, BESIDE = SITES - 1 };

struct step {
    u32 sm; /* 0 or OTHER */
    enum traffic_kind kind;
    u64 stride; /* of lanes: 4 for whole sectors, 0 for one word */
};

static void do_steps(struct bench *b, const struct step *steps)
{
    bench_begin(b, &two_halves, 1, 1, 28);
    bench_start(b, 0);
    bench_start(b, OTHER);
    for (u64 step = 0; step < STEPS; step++)
        for (u64 line = 0; line < LINES; line++) {
            const struct step *s = &steps[step];
            const u64 at = line * 1024, elsewhere = (1 << 19) + step * LINES * 128 + line * 128;
            bench_access(b, s->sm, 0, (u32)step, s->kind, at, s->stride);
            bench_access(b, s->sm ? 0 : OTHER, 0, BESIDE, TRAFFIC_LOAD_PAST, elsewhere, 4);
        }
    bench_stop(b, 0);
    bench_stop(b, OTHER);
    bench_finish(b);
}

static u64 far_lines(struct bench *b, u32 site) { return N(bench_end(b, site), l2_far_reads) / 4; }

/* What SM 0 has read of the other half's, the other one writes: SM 0 is told so, once a line, and asks again. */
static void what_is_written_at_home_the_other_half_no_longer_has(void **state)
{
    (void)state;
    struct bench b;
    do_steps(&b, (struct step[]){{0, TRAFFIC_LOAD_PAST, 4}, {OTHER, TRAFFIC_STORE, 4}, {0, TRAFFIC_LOAD_PAST, 4}});
    const u64 far = far_lines(&b, 0);
    assert_in_range(far, LINES / 4, LINES * 3 / 4);
    assert_int_equal(far_lines(&b, 2), far);
    assert_int_equal(N(bench_end(&b, 1), l2_recalls), far);
    assert_int_equal(N(bench_end(&b, 1), l2_far_writes), SECTORS - 4 * far);
}

/* Who writes whole sectors of the other half's has them near. */
static void who_writes_from_the_other_half_has_a_copy(void **state)
{
    (void)state;
    struct bench b;
    do_steps(&b, (struct step[]){{0, TRAFFIC_STORE, 4}, {0, TRAFFIC_LOAD_PAST, 4}, {OTHER, TRAFFIC_LOAD_PAST, 4}});
    assert_in_range(N(bench_end(&b, 0), l2_far_writes), SECTORS / 4, SECTORS * 3 / 4);
    assert_int_equal(N(bench_end(&b, 1), l2_far_reads), 0);
    assert_int_equal(N(bench_end(&b, 2), l2_far_reads), SECTORS - N(bench_end(&b, 0), l2_far_writes));
}

/* A word of a sector is no copy of it, but the home has to tell that half, too. */
static void who_writes_a_word_is_told_but_has_no_copy(void **state)
{
    (void)state;
    for (u32 reads = 0; reads < 2; reads++) {
        struct bench b;
        do_steps(&b, (struct step[]){{0, TRAFFIC_STORE_TWO, 0},
                                     {reads ? 0 : OTHER, reads ? TRAFFIC_LOAD_PAST : TRAFFIC_STORE_TWO, 0},
                                     {OTHER, TRAFFIC_LOAD_PAST, 0}});
        const u64 far = N(bench_end(&b, 0), l2_far_writes);
        assert_in_range(far, LINES / 4, LINES * 3 / 4);
        if (reads) /* 64 bytes at least */
            assert_int_equal(N(bench_end(&b, 1), l2_far_reads), 2 * far);
        else
            assert_int_equal(N(bench_end(&b, 1), l2_recalls), far);
    }
}

/* An atomic is done at home: whoever had a copy has none, and only the other half is told. */
static void atomics_leave_no_copy(void **state)
{
    (void)state;
    struct bench b;
    do_steps(&b, (struct step[]){{0, TRAFFIC_STORE, 4}, {0, TRAFFIC_RED, 4}, {0, TRAFFIC_LOAD_PAST, 4}});
    const u64 far = N(bench_end(&b, 0), l2_far_writes);
    assert_int_equal(N(bench_end(&b, 1), l2_recalls), 0);
    assert_int_equal(N(bench_end(&b, 2), l2_far_reads), far);
}

/* Of lines that are written at home for the first time the other half has every second one from before the launch; not of local memory. */
static void copies_are_there_from_before(void **state)
{
    (void)state;
    for (u32 local = 0; local < 2; local++) {
        struct bench b;
        const enum traffic_kind kind = local ? TRAFFIC_LOCAL_STORE : TRAFFIC_STORE;
        do_steps(&b, (struct step[]){{0, kind, 4}, {0, kind, 4}, {0, TRAFFIC_LOAD_PAST, 4}});
        const u64 near = LINES - N(bench_end(&b, 0), l2_far_writes) / 4;
        assert_int_equal(N(bench_end(&b, 0), l2_recalls), local ? 0 : near / 2);
        assert_int_equal(N(bench_end(&b, 1), l2_recalls), 0);
    }
}

/* One L2 has no halves that could tell each other anything. */
static void one_l2_has_no_copies(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b, &one_l2, 1, 1, 4);
    bench_start(&b, 0);
    for (u64 line = 0; line < LINES; line++)
        bench_access(&b, 0, 0, 0, TRAFFIC_STORE, line * 128, 4);
    bench_stop(&b, 0);
    bench_finish(&b);
    assert_int_equal(N(bench_end(&b, 0), l2_recalls), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_at_home_the_other_half_no_longer_has),
        cmocka_unit_test(who_writes_from_the_other_half_has_a_copy),
        cmocka_unit_test(who_writes_a_word_is_told_but_has_no_copy),
        cmocka_unit_test(atomics_leave_no_copy),
        cmocka_unit_test(copies_are_there_from_before),
        cmocka_unit_test(one_l2_has_no_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
