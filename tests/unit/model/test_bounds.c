/* test_bounds.c - lower bounds of a launch, for a GPU of round numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "meter/meter.h"
#include "model/bounds.h"

/* 10 SMs at 1 GHz: a clock is a nanosecond. */
static const struct gpu gpu = {.sms = 10,
                               .boost_mhz = 1000,
                               .sub_partitions = 4,
                               .fp32_rate = 128,
                               .dram_bytes_per_s = 1e12,
                               .copy_bytes_per_s = 8e11};

static void near(double got, double want)
{
    if (fabs(got - want) > 1e-9 * want)
        fail_msg("%g is not %g", got, want);
}

static struct bounds bounds(const u64 *n, u64 blocks)
{
    struct model_work w = work_of_events(n);
    w.blocks = blocks;
    w.warps = w.resident = 1;
    return bounds_of(&gpu, &w, 1e9);
}

/* 4000 sectors and 1000 requests on one SM of two that are busy. */
static void a_copy_past_the_registers_takes_l1_and_its_slots(void **state)
{
    (void)state;
    const u64 n[EVENT_COUNT] = {[EVENT_gasync_sectors] = 8000, [EVENT_gasync_requests] = 2000};
    const struct bounds b = bounds(n, 2);
    near(b.seconds[BOUND_L1], 1000e-9);
    near(b.seconds[BOUND_LSU], 2000e-9);
    assert_int_equal(bounds_nearest(&b, BOUND_COUNT), BOUND_LSU);
}

/* A copy is slower than what only reads, so its rate bounds nothing. */
static void dram_gives_what_reading_gets(void **state)
{
    (void)state;
    struct gpu g = gpu;
    near(bound_dram_rate(&g), 1e12);
    g.read_bytes_per_s = 9e11;
    near(bound_dram_rate(&g), 9e11);
}

static void nothing_needs_no_time(void **state)
{
    (void)state;
    const u64 n[EVENT_COUNT] = {0};
    const struct bounds b = bounds(n, 1);
    for (u32 i = 0; i < BOUND_COUNT; i++)
        assert_true(b.seconds[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_past_the_registers_takes_l1_and_its_slots),
        cmocka_unit_test(dram_gives_what_reading_gets),
        cmocka_unit_test(nothing_needs_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
