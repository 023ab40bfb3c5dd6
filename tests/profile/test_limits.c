/* test_limits.c - the nearest limit, against the formulas at the head of model/bounds.c, for a GPU of round numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "report/limit.h"
#include "report/warp_state.h"

/* 10 SMs at 1 GHz: a clock is a nanosecond. */
static const struct gpu gpu = {.sms = 10,
                               .boost_mhz = 1000,
                               .sub_partitions = 4,
                               .fp32_rate = 128,
                               .fp64_rate = 2,
                               .int_rate = 64,
                               .dram_bytes_per_s = 1e12,
                               .latency_dram = 500,
                               .latency_shared = 30,
                               .threads_per_sm = 2048};

static struct meter_line line;

static struct meter_report launch(u32 blocks)
{
    struct meter_report r = {.grid = {blocks, 1, 1}, .block = {256, 1, 1}, .lines = &line, .nlines = 1};
    for (u32 i = 0; i < METRIC_COUNT; i++)
        r.metrics[i].value = NAN;
    r.occupancy.blocks_per_sm = 8;
    r.n[EVENT_inst] = 8;
    line = (struct meter_line){.function = "k", .file = "x.cu", .line = 12};
    return r;
}

static struct limits limits(const struct meter_report *r)
{
    struct limits l;
    assert_true(limits_of(r, &gpu, &l));
    return l;
}

static void assert_near(double got, double want) { assert_true(fabs(got - want) <= 1e-9 * want); }

static void the_busiest_sm_decides(void **state)
{
    (void)state;
    struct meter_report r = launch(11); /* one SM has two blocks of 11 */
    r.n[EVENT_sld_wavefronts] = 11000;
    r.n[EVENT_sst_wavefronts] = 11000;
    assert_near(limits(&r).bounds.seconds[BOUND_SHARED], 4000e-9);
    r.n[EVENT_inst] = 44000;
    assert_near(limits(&r).bounds.seconds[BOUND_ISSUE], 2000e-9);
    r.n[EVENT_fp64] = 22000;
    assert_near(limits(&r).bounds.seconds[BOUND_FP64], 2000e-9);
    r.n[EVENT_gld_sectors] = 44000;
    assert_near(limits(&r).bounds.seconds[BOUND_L1], 2000e-9);
    assert_near(limits(&r).bounds.seconds[BOUND_DRAM], 44000 * 32 / 1e12);
    assert_int_equal(limits(&r).nearest, BOUND_SHARED);
}

/* A wave is 80 blocks; each waits 500 clocks for memory and issues its 100 instructions a warp. */
static void latency_is_by_waves(void **state)
{
    (void)state;
    struct meter_report r = launch(81);
    r.n[EVENT_inst] = 81 * 8 * 100;
    r.n[EVENT_gld_sectors] = 1;
    assert_near(limits(&r).bounds.seconds[BOUND_LATENCY], 2 * 600e-9);
    r.n[EVENT_gld_sectors] = 0;
    assert_near(limits(&r).bounds.seconds[BOUND_LATENCY], 2 * 100e-9);
    r.n[EVENT_sld_wavefronts] = 1;
    assert_near(limits(&r).bounds.seconds[BOUND_LATENCY], 2 * 130e-9);
}

static void the_text_has_the_evidence(void **state)
{
    (void)state;
    char text[2048];
    struct meter_report r = launch(1);
    r.n[EVENT_sld_wavefronts] = line.n[EVENT_sld_wavefronts] = 32000;
    r.n[EVENT_sld_conflicts] = line.n[EVENT_sld_conflicts] = 31000;
    struct limits l = limits(&r);
    assert_int_equal(l.nearest, BOUND_SHARED);
    limit_text(&r, &gpu, &l, text, sizeof text);
    assert_non_null(strstr(text, "The nearest limit is Shared Memory: at least 32"));
    assert_non_null(strstr(text, "32,000 wavefronts, of which 31,000 are bank conflicts (97%)"));
    assert_non_null(strstr(text, "x.cu:12"));
}

/* 40 sectors for 8, 32 wavefronts of which 31 are conflicts, 8 of 32 threads. */
static void waste_is_noted(void **state)
{
    (void)state;
    char text[2048];
    const char *rule;
    struct meter_report r = launch(1);
    for (u32 i = 0; i < LIMIT_NOTES; i++)
        assert_false(limit_note(&r, i, BOUND_LATENCY, &rule, text, sizeof text));
    r.n[EVENT_thread_inst] = 64;
    line.n[EVENT_gld_requests] = 2, line.n[EVENT_gld_bytes] = 256, line.n[EVENT_gld_sectors] = 40;
    r.n[EVENT_sld_wavefronts] = line.n[EVENT_sld_wavefronts] = 32;
    r.n[EVENT_sld_conflicts] = line.n[EVENT_sld_conflicts] = 31;
    assert_true(limit_note(&r, 0, BOUND_LATENCY, &rule, text, sizeof text));
    assert_non_null(strstr(text, "40 sectors where 8 hold all the bytes that they ask for (80% are excessive)"));
    assert_false(limit_note(&r, 0, BOUND_DRAM, &rule, text, sizeof text));
    assert_true(limit_note(&r, 1, BOUND_LATENCY, &rule, text, sizeof text));
    assert_non_null(strstr(text, "(97%)"));
    assert_non_null(strstr(text, "x.cu:12"));
    assert_true(limit_note(&r, 2, BOUND_LATENCY, &rule, text, sizeof text));
    assert_string_equal(rule, "ThreadDivergence");
    assert_non_null(strstr(text, "8.0 of 32 threads"));
}

static void nothing_is_said_of_nothing(void **state)
{
    (void)state;
    struct limits l;
    struct meter_report r = launch(1);
    assert_false(limits_of(&r, NULL, &l));
    r.n[EVENT_inst] = 0;
    assert_false(limits_of(&r, &gpu, &l));
}

static void ideal_sectors(void **state)
{
    (void)state;
    struct meter_line l = {.n = {[EVENT_gld_requests] = 2, [EVENT_gld_bytes] = 256, [EVENT_gld_sectors] = 32}};
    assert_int_equal(limit_sectors(&l).ideal, 8);
    l.n[EVENT_gld_bytes] = 8; /* two words for whole warps: a sector each at the least */
    l.n[EVENT_gld_sectors] = 2;
    assert_int_equal(limit_sectors(&l).ideal, 2);
    assert_int_equal(limit_sectors(&l).sectors, 2);
}

/* 40 of 100 cycles at line 12, in two instructions; line 20 waits longer, but not for the largest reason. */
static void the_costly_line_is_named(void **state)
{
    (void)state;
    struct meter_line lines[] = {
        {.function = "k", .file = "x.cu", .line = 12, .ptx_line = 1, .n = {[EVENT_stall_BARRIER] = 15}},
        {.function = "k", .file = "x.cu", .line = 20, .ptx_line = 2, .n = {[EVENT_stall_SELECTED] = 50}},
        {.function = "k", .file = "x.cu", .line = 12, .ptx_line = 3, .n = {[EVENT_stall_BARRIER] = 25}},
        {.function = "k", .file = "x.cu", .line = 20, .ptx_line = 4, .n = {[EVENT_stall_WAIT] = 10}},
    };
    struct meter_report r = launch(1);
    char text[2048];
    assert_false(warp_state_text(&r, text, sizeof text));
    warp_state_costly(&r, text, sizeof text);
    assert_string_equal(text, "");
    r.lines = lines, r.nlines = LS_ARRAY_LEN(lines);
    r.n[EVENT_stall_BARRIER] = 40, r.n[EVENT_stall_SELECTED] = 50, r.n[EVENT_stall_WAIT] = 10;
    double share;
    assert_int_equal(warp_state_largest(r.n, &share), STALL_BARRIER);
    assert_float_equal(share, 0.4, 1e-9);
    warp_state_costly(&r, text, sizeof text);
    assert_non_null(strstr(text, "x.cu:20, with 60% of the time"));
    assert_true(warp_state_text(&r, text, sizeof text));
    assert_non_null(strstr(text, "barrier (for the other warps of its block at a barrier): 0.8 of the 2.0 cycles"));
    assert_non_null(strstr(text, "x.cu:12 has 100% of these cycles"));
    assert_null(strstr(text, "nearly every cycle"));
    lines[1].line = lines[3].line = 0, lines[3].ptx = "add.s32 %r1, %r2, %r3;";
    r.n[EVENT_stall_WAIT] = lines[3].n[EVENT_stall_WAIT] = 100;
    warp_state_costly(&r, text, sizeof text);
    assert_non_null(strstr(text, "line 4 of the PTX (add.s32 %r1, %r2, %r3), with 53% of the time"));
    r.metrics[METRIC_issue_active].value = 85;
    assert_true(warp_state_text(&r, text, sizeof text));
    assert_non_null(strstr(text, "nearly every cycle"));
}

static void every_wait_has_advice(void **state)
{
    (void)state;
    for (u32 k = 0; k < STALL_COUNT; k++) {
        const enum stall_reason reason = (enum stall_reason)k;
        assert_non_null(warp_state_advice(reason));
        assert_int_equal(*warp_state_advice(reason) == 0, reason == STALL_SELECTED || reason == STALL_MISC);
    }
}

static void numbers_are_ncus(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } all[] = {{0, "0"},     {1234567, "1,234,567"}, {0.544, "0.54"},        {3131.237, "3,131.24"},
               {100, "100"}, {0.0012, "0.0012"},     {-4096.5, "-4,096.50"}, {NAN, "n/a"}};
    for (size_t i = 0; i < LS_ARRAY_LEN(all); i++) {
        char text[48];
        limit_number(all[i].v, text);
        assert_string_equal(text, all[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_sm_decides),
        cmocka_unit_test(latency_is_by_waves),
        cmocka_unit_test(the_text_has_the_evidence),
        cmocka_unit_test(nothing_is_said_of_nothing),
        cmocka_unit_test(waste_is_noted),
        cmocka_unit_test(ideal_sectors),
        cmocka_unit_test(the_costly_line_is_named),
        cmocka_unit_test(every_wait_has_advice),
        cmocka_unit_test(numbers_are_ncus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
