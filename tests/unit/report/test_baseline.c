/* test_baseline.c - which launches of two profiles belong together, and what counts as moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "report/baseline.h"

enum { MOST = 8 };
static struct meter_report reports[2][MOST];
static const struct meter_report *at[2][MOST];
static struct baseline_profile profiles[2];

static void begin(void)
{
    memset(reports, 0, sizeof reports);
    for (u32 s = 0; s < 2; s++)
        profiles[s] = (struct baseline_profile){s ? "new" : "old", at[s], 0};
}

static struct meter_report *add(u32 side, const char *kernel, double ns)
{
    const u32 i = profiles[side].n++;
    struct meter_report *r = &reports[side][i];
    at[side][i] = r;
    r->kernel = kernel;
    for (u32 m = 0; m < METRIC_COUNT; m++)
        r->metrics[m].value = NAN;
    r->metrics[METRIC_gpu_time].value = ns;
    return r;
}

static struct arena mem = ARENA("test");

static bool make(struct baseline *b)
{
    assert_int_equal(setjmp(mem.oom), 0);
    return baseline_make(&mem, profiles, b);
}

/* f(float *) became f(double *); g<1> and g<2> are both still there. */
static void kernels_are_found_by_name(void **state)
{
    (void)state;
    struct baseline b;
    begin();
    add(BASELINE_OLD, "_Z1gILi1EEvPf", 10), add(BASELINE_OLD, "_Z1fPf", 20), add(BASELINE_OLD, "_Z1gILi2EEvPf", 30);
    add(BASELINE_NEW, "_Z1fPd", 40), add(BASELINE_NEW, "_Z1gILi2EEvPf", 60), add(BASELINE_NEW, "_Z1gILi1EEvPf", 5);
    assert_true(make(&b));
    assert_int_equal(b.n, 3);
    assert_float_equal(baseline_ratio(&b.kernels[0]), 0.5, 0);
    assert_string_equal(b.kernels[1].side[BASELINE_NEW].kernel, "_Z1fPd");
    assert_float_equal(baseline_ratio(&b.kernels[1]), 2, 0);
    assert_float_equal(baseline_ratio(&b.kernels[2]), 2, 0);
    assert_int_equal(b.nrest[BASELINE_OLD] + b.nrest[BASELINE_NEW], 0);
    const struct baseline_kernel all = baseline_sum(&b);
    assert_float_equal(baseline_ratio(&all), 105.0 / 60, 1e-12);
    arena_free(&mem);
}

static void launches_pair_up_in_order(void **state)
{
    (void)state;
    struct baseline b;
    begin();
    add(BASELINE_OLD, "a", 10), add(BASELINE_OLD, "b", 1), add(BASELINE_OLD, "a", 20), add(BASELINE_OLD, "a", 70);
    add(BASELINE_NEW, "a", 5), add(BASELINE_NEW, "a", 10), add(BASELINE_NEW, "c", 3);
    assert_true(make(&b));
    assert_int_equal(b.n, 1);
    assert_int_equal(b.kernels[0].launches, 2);
    assert_float_equal(b.kernels[0].side[BASELINE_OLD].ns, 30, 0);
    assert_float_equal(b.kernels[0].side[BASELINE_NEW].ns, 15, 0);
    assert_int_equal(b.nrest[BASELINE_OLD], 2); /* the third a, and b */
    assert_int_equal(b.nrest[BASELINE_NEW], 1);
    assert_string_equal(b.rest[BASELINE_NEW][0].kernel, "c");
    arena_free(&mem);
}

static void nothing_in_common_is_told(void **state)
{
    (void)state;
    struct baseline b;
    begin();
    add(BASELINE_OLD, "a", 10), add(BASELINE_NEW, "b", 10);
    assert_false(make(&b));
    assert_string_equal(b.rest[BASELINE_OLD][0].kernel, "a");
    assert_string_equal(b.rest[BASELINE_NEW][0].kernel, "b");
    arena_free(&mem);
}

/* Of 1000 cycles of warps long_scoreboard had 600 and has 100, barrier 30 and 60: the first moved, the second did not. */
static void a_twentieth_is_a_change(void **state)
{
    (void)state;
    struct baseline b;
    struct baseline_change c[BASELINE_CHANGES];
    begin();
    struct meter_report *old = add(BASELINE_OLD, "a", NAN), *newer = add(BASELINE_NEW, "a", 10);
    old->n[EVENT_stall_LONG_SCOREBOARD] = 600, old->n[EVENT_stall_BARRIER] = 30, old->n[EVENT_stall_SELECTED] = 370;
    newer->n[EVENT_stall_LONG_SCOREBOARD] = 100, newer->n[EVENT_stall_BARRIER] = 60;
    newer->n[EVENT_stall_SELECTED] = 370;
    old->n[EVENT_inst] = 100, newer->n[EVENT_inst] = 105;
    old->n[EVENT_gld_sectors] = 64, newer->n[EVENT_gld_sectors] = 16;
    old->metrics[METRIC_registers].value = 32, newer->metrics[METRIC_registers].value = 40;
    assert_true(make(&b));
    assert_true(isnan(baseline_ratio(&b.kernels[0])));
    assert_int_equal(baseline_changes(&b.kernels[0], c), 4);
    assert_string_equal(c[0].name, "smsp__warps_issue_stalled_long_scoreboard.sum");
    assert_float_equal(c[0].was, 600, 0);
    assert_float_equal(c[0].is, 100, 0);
    assert_string_equal(c[1].name, "smsp__average_warp_latency_per_inst_issued.ratio");
    assert_string_equal(c[2].name, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    assert_string_equal(c[3].name, "launch__registers_per_thread");
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(launches_pair_up_in_order),
        cmocka_unit_test(nothing_in_common_is_told),
        cmocka_unit_test(a_twentieth_is_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
