/* test_cause.c - the sentence between two rungs, whom a rung is compared with, and that every column key is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "report/columns.h"

static struct meter_report reports[3];
static const struct rung rungs[3] = {{.name = "first"}, {.name = "second"}, {.name = "third"}};
static struct lab_result results[3];

static void set_up(void)
{
    memset(reports, 0, sizeof reports);
    for (u32 i = 0; i < 3; i++) {
        for (u32 m = 0; m < METRIC_COUNT; m++)
            reports[i].metrics[m].value = NAN;
        results[i] = (struct lab_result){.rung = &rungs[i], .verdict = LAB_RIGHT, .report = &reports[i]};
    }
}

static void set(u32 i, enum metric_id m, double v, enum metric_kind kind)
{
    reports[i].metrics[m].value = v;
    reports[i].metrics[m].kind = kind;
}

static void test_sentence(void **state)
{
    (void)state;
    char text[200];
    set_up();
    set(0, METRIC_gst_sectors_per_request, 16, METRIC_COUNTED);
    set(1, METRIC_gst_sectors_per_request, 4, METRIC_COUNTED);
    set(0, METRIC_gst_sectors, 1048576, METRIC_COUNTED);
    set(1, METRIC_gst_sectors, 262144, METRIC_COUNTED);
    set(0, METRIC_barriers, 0, METRIC_COUNTED);
    set(1, METRIC_barriers, 131072, METRIC_COUNTED);
    set(0, METRIC_inst, 100, METRIC_ESTIMATED);
    set(1, METRIC_inst, 200, METRIC_ESTIMATED);
    assert_true(cause_text(&results[0], &results[1], text, sizeof text));
    /* the total follows from the ratio and is not named; nor is what is estimated, beside what is counted */
    assert_string_equal(text, "store sectors a request 16 -> 4, barriers 0 -> 131,072");
}

static void test_estimated(void **state)
{
    (void)state;
    char text[200];
    set_up();
    set(0, METRIC_inst, 1000, METRIC_ESTIMATED);
    set(1, METRIC_inst, 2000, METRIC_ESTIMATED);
    assert_true(cause_text(&results[0], &results[1], text, sizeof text));
    assert_string_equal(text, "warp instructions 1,000 -> 2,000~");
    set(1, METRIC_inst, 1040, METRIC_ESTIMATED);
    assert_false(cause_text(&results[0], &results[1], text, sizeof text)); /* 4 % */
}

static void test_partner(void **state)
{
    (void)state;
    set_up();
    assert_null(cause_partner(results, 3, &results[0]));
    assert_ptr_equal(cause_partner(results, 3, &results[2]), &results[1]);
    results[1].shape.n = 5; /* another size: not comparable */
    assert_ptr_equal(cause_partner(results, 3, &results[2]), &results[0]);
    results[2].against = "first";
    assert_ptr_equal(cause_partner(results, 3, &results[2]), &results[0]);
    results[2].against = "nobody";
    assert_null(cause_partner(results, 3, &results[2]));
}

static bool is_key(const char *at, size_t n)
{
    for (u32 i = 0; column_at(i); i++)
        if (strlen(column_at(i)->key) == n && strncmp(column_at(i)->key, at, n) == 0)
            return true;
    return false;
}

static void test_families_columns(void **state)
{
    (void)state;
    for (u32 f = 0; f < kernel_family_count; f++)
        for (const char *at = kernel_families[f]->columns; at && *at; at += strcspn(at, " "), at += *at == ' ')
            if (!is_key(at, strcspn(at, " ")))
                fail_msg("family %s asks for columns '%s', which there are not", kernel_families[f]->name, at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentence),
        cmocka_unit_test(test_estimated),
        cmocka_unit_test(test_partner),
        cmocka_unit_test(test_families_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
