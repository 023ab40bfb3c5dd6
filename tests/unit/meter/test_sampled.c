/* test_sampled.c - which launches are alike, and what one takes from the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "meter/report/sampled.h"

static struct meter_line rows[2];
static struct meter_report modelled, counted;

/* A launch of 1000 instructions and 400 sectors that takes 2000 ns, and one that was not modelled. */
static int set_up(void **state)
{
    (void)state;
    memset(rows, 0, sizeof rows);
    modelled = (struct meter_report){.id = 7, .modelled = true, .time = {.ns = 2000}, .lines = rows, .nlines = 2};
    modelled.n[EVENT_inst] = 1000;
    modelled.n[EVENT_gld_sectors] = 400;
    modelled.n[EVENT_dram_reads] = 400;
    modelled.n[EVENT_time_ns] = 2000;
    modelled.metrics[METRIC_gpu_time] = (struct meter_metric){2000, METRIC_MODELLED};
    modelled.metrics[METRIC_inst] = (struct meter_metric){1000, METRIC_ESTIMATED};
    rows[0] = (struct meter_line){.ptx_line = 5, .n = {[EVENT_gld_sectors] = 400, [EVENT_dram_reads] = 400}};
    rows[1] = (struct meter_line){.ptx_line = 6, .n = {[EVENT_stall_LONG_SCOREBOARD] = 900}};
    counted = (struct meter_report){.id = 8};
    counted.n[EVENT_inst] = 1000;
    counted.n[EVENT_gld_sectors] = 400;
    counted.metrics[METRIC_gpu_time] = (struct meter_metric){NAN, METRIC_MODELLED};
    counted.metrics[METRIC_inst] = (struct meter_metric){1001, METRIC_ESTIMATED};
    return 0;
}

static void test_alike(void **state)
{
    (void)state;
    struct model_sample *s = model_sample_make(&modelled, false);
    assert_non_null(s);
    assert_true(model_sample_alike(s, &counted));
    counted.n[EVENT_inst] = 1010; /* of 1010 less than 1 % */
    assert_true(model_sample_alike(s, &counted));
    counted.n[EVENT_inst] = 1011;
    assert_false(model_sample_alike(s, &counted));
    counted.n[EVENT_inst] = 989;
    assert_false(model_sample_alike(s, &counted));
    counted.n[EVENT_inst] = 1000;
    counted.n[EVENT_gld_sectors] = 405;
    assert_false(model_sample_alike(s, &counted));
    counted.n[EVENT_gld_sectors] = 400;
    counted.n[EVENT_barriers] = 1; /* the other has none */
    assert_false(model_sample_alike(s, &counted));
    counted.n[EVENT_time_ns] = 2100;
    assert_true(model_sample_as_long(s, &counted));
    counted.n[EVENT_time_ns] = 2110;
    assert_false(model_sample_as_long(s, &counted));
    model_sample_free(s);
}

static void test_give(void **state)
{
    (void)state;
    struct meter_line own[2] = {{.ptx_line = 5, .n = {[EVENT_gld_sectors] = 399}}, {.ptx_line = 6}};
    struct model_sample *s = model_sample_make(&modelled, true);
    assert_non_null(s);
    counted.lines = own;
    counted.nlines = 2;
    model_sample_give(s, &counted);
    assert_true(counted.modelled);
    assert_int_equal(counted.modelled_as, 7);
    assert_int_equal(counted.id, 8);
    assert_true(counted.time.ns == 2000 && counted.n[EVENT_time_ns] == 2000 && counted.n[EVENT_dram_reads] == 400);
    assert_true(counted.metrics[METRIC_gpu_time].value == 2000);
    assert_true(counted.metrics[METRIC_inst].value == 1001); /* its own */
    assert_int_equal(own[0].n[EVENT_gld_sectors], 399);
    assert_int_equal(own[0].n[EVENT_dram_reads], 400);
    assert_int_equal(own[1].n[EVENT_stall_LONG_SCOREBOARD], 900);
    model_sample_free(s);
}

/* Lines that are not the same ones stay as they are. */
static void test_other_lines(void **state)
{
    (void)state;
    struct meter_line own[2] = {{.ptx_line = 5}, {.ptx_line = 9}};
    struct model_sample *s = model_sample_make(&modelled, true);
    assert_non_null(s);
    counted.lines = own;
    counted.nlines = 2;
    model_sample_give(s, &counted);
    assert_int_equal(own[0].n[EVENT_dram_reads], 0);
    counted.nlines = 1;
    model_sample_give(s, &counted);
    assert_int_equal(own[0].n[EVENT_dram_reads], 0);
    assert_true(counted.n[EVENT_dram_reads] == 400);
    model_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_alike, set_up),
                                       cmocka_unit_test_setup(test_give, set_up),
                                       cmocka_unit_test_setup(test_other_lines, set_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
