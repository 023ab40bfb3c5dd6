/* test_observe.c - observers of the driver: who is told what, in which order, and that nothing is made for nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "driver/driver.h"

static char log_text[512]; /* "1 copied 8; 2 copied 8; " */

LS_PRINTF(1, 2) static void note(const char *fmt, ...)
{
    const size_t n = strlen(log_text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(log_text + n, sizeof log_text - n, fmt, args);
    va_end(args);
}

static void copied_1(u64 to, u64 from, u64 size, const struct op *op)
{
    (void)to, (void)from, (void)op;
    note("1 copied %u; ", (unsigned)size);
}

static void copied_2(u64 to, u64 from, u64 size, const struct op *op)
{
    (void)to, (void)from, (void)op;
    note("2 copied %u; ", (unsigned)size);
}

static void begin_2(const struct driver_call *c) { note("2 begin %s; ", c->name); }
static void failed_2(int error, const char *name, const char *text) { note("2 failed %d %s %s; ", error, name, text); }
static void end_2(const struct driver_call *c) { note("2 end %s %u; ", c->name, c->nargs); }
static void end_3(const struct driver_call *c) { note("3 end %s; ", c->name); }
static void refused_3(const struct driver_refusal *r) { note("3 refused %s; ", r->text); }

static const struct driver_observer first = {.copied = copied_1},
                                    second = {.copied = copied_2,
                                              .call_begin = begin_2,
                                              .call_failed = failed_2,
                                              .call_end = end_2},
                                    third = {.call_end = end_3, .call_refused = refused_3};

static int down(void **state)
{
    (void)state;
    driver_unobserve(&first);
    driver_unobserve(&second);
    driver_unobserve(&third);
    log_text[0] = 0;
    return 0;
}

static u64 never(void)
{
    fail_msg("an argument was made for nobody");
    return 0;
}

static void nobody_costs_nothing(void **state)
{
    (void)state;
    assert_int_equal(driver_heard, 0);
    TELL(copied, never(), never(), never(), NULL);
    driver_observe(&third);
    TELL(copied, never(), never(), never(), NULL);
    assert_string_equal(log_text, "");
}

static void in_the_order_of_coming(void **state)
{
    (void)state;
    driver_observe(&second);
    driver_observe(&first);
    TELL(copied, 0, 0, 8, NULL);
    driver_unobserve(&second);
    TELL(copied, 0, 0, 9, NULL);
    driver_observe(&second);
    TELL(copied, 0, 0, 10, NULL);
    assert_string_equal(log_text, "2 copied 8; 1 copied 8; 1 copied 9; 1 copied 10; 2 copied 10; ");
}

/* An observer that comes in the middle of a call hears nothing of that call. */
static void calls(void **state)
{
    (void)state;
    assert_false(CALLS_HEARD);
    driver_observe(&second);
    assert_true(CALLS_HEARD);
    const unsigned told = driver_call_begin("f", NULL);
    driver_observe(&third);
    driver_call_end(told, &(struct driver_call){.name = "f", .result = CUDA_ERROR_NOT_READY, .nargs = 3});
    assert_string_equal(log_text, "2 begin f; 2 failed 600 CUDA_ERROR_NOT_READY device not ready; 2 end f 3; ");
    log_text[0] = 0;
    driver_call_end(driver_call_begin("g", NULL), &(struct driver_call){.name = "g"});
    assert_string_equal(log_text, "2 begin g; 2 end g 0; 3 end g; ");
}

static void refusals(void **state)
{
    (void)state;
    driver_refused("%d", 1);
    driver_observe(&third);
    driver_refused("a row has %d bytes", 12);
    assert_string_equal(log_text, "3 refused a row has 12 bytes; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nobody_costs_nothing, down),
        cmocka_unit_test_teardown(in_the_order_of_coming, down),
        cmocka_unit_test_teardown(calls, down),
        cmocka_unit_test_teardown(refusals, down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
