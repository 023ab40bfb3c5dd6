/* test_interval.c - which class a launch is in, and that interval.def has factors for each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/interval.h"

static void the_busiest_resource_is_the_limit(void **state)
{
    (void)state;
    static const struct {
        struct interval_signs signs;
        enum interval_size size;
        enum interval_limit limit;
    } all[] = {
        {{4999, 90, 20, 0, INTERVAL_MACHINE}, INTERVAL_SHORT, INTERVAL_MEMORY},
        {{5000, 20, 90, 0, INTERVAL_MACHINE}, INTERVAL_MIDDLE, INTERVAL_COMPUTE},
        {{49999, 49, 49, 49, INTERVAL_MACHINE}, INTERVAL_MIDDLE, INTERVAL_LATENCY},
        {{50000, 60, 50, 80, INTERVAL_MACHINE}, INTERVAL_LONG, INTERVAL_ATOMICS},
        {{1e6, 70, 70, 0, INTERVAL_MACHINE}, INTERVAL_LONG, INTERVAL_MEMORY}, /* L1 is in both percentages */
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(all); i++) {
        assert_int_equal(interval_size(&all[i].signs), all[i].size);
        assert_int_equal(interval_limit(&all[i].signs), all[i].limit);
    }
}

/* Of 1000 cycles atomics take 600, an SM works for 800 with L1 always busy, and DRAM is busy for 75 %. */
static void signs_are_shares_of_the_time(void **state)
{
    (void)state;
    const struct model_time t = {.ns = 500,
                                 .cycles = 1000,
                                 .active = 800,
                                 .atomics = 600,
                                 .l1_pct = 100,
                                 .dram_pct = 75,
                                 .l2_pct = 10,
                                 .sm_pct = 30};
    const struct interval_signs s = interval_signs_of(&t, INTERVAL_ESTIMATED);
    assert_float_equal(s.ns, 500, 0);
    assert_float_equal(s.atomics_pct, 60, 1e-9);
    assert_float_equal(s.memory_pct, 80, 1e-9);
    assert_float_equal(s.sm_pct, 30, 0);
    assert_int_equal(s.code, INTERVAL_ESTIMATED);
}

static void every_class_has_factors(void **state)
{
    (void)state;
    static const double ns[INTERVAL_SIZES] = {1000, 10000, 100000};
    static const struct interval_signs limits[INTERVAL_LIMITS] = {
        {.memory_pct = 80}, {.sm_pct = 80}, {.atomics_pct = 80}, {.sm_pct = 1}};
    for (u32 class = 0; class < INTERVAL_CODES * INTERVAL_SIZES * INTERVAL_LIMITS; class ++) {
        const u32 code = class % INTERVAL_CODES, size = class / INTERVAL_CODES % INTERVAL_SIZES;
        const u32 limit = class / INTERVAL_CODES / INTERVAL_SIZES;
        struct interval_signs s = limits[limit];
        s.ns = ns[size];
        s.code = (enum interval_code)code;
        assert_int_equal(interval_size(&s), size);
        assert_int_equal(interval_limit(&s), limit);
        const struct time_interval i = time_interval_of(&s);
        assert_true(i.low_ns > 0 && i.low_ns < i.high_ns);
    }
}

static void a_ratio_lies_in_its_interval(void **state)
{
    (void)state;
    for (u32 k = 0; k < 2 * INTERVAL_CODES; k++) {
        const enum interval_code code = (enum interval_code)(k / 2);
        const struct ratio_interval i = ratio_interval_of(0.5, k % 2, code), back = ratio_interval_of(2, k % 2, code);
        assert_true(i.low > 0 && i.low < 0.5 && 0.5 < i.high);
        assert_float_equal(i.low * back.high, 1, 1e-9); /* the same, whichever version comes first */
        assert_float_equal(i.high * back.low, 1, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_resource_is_the_limit),
        cmocka_unit_test(signs_are_shares_of_the_time),
        cmocka_unit_test(every_class_has_factors),
        cmocka_unit_test(a_ratio_lies_in_its_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
