/* test_device_calls.c - printf: what the model says beside what was measured
 * (tests/hw/h200/device-runtime.csv: cold_ns, less the 7 us of a kernel that does nothing else). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/device_calls.h"

static struct gpu h200;

/* Every warp of the blocks calls `rounds` times, with so many lanes. */
static struct device_call_count calls(double blocks, double warps, double lanes, double rounds)
{
    const double n = blocks * warps * rounds;
    return (struct device_call_count){.threads = n * lanes, .warps = n, .rounds = rounds};
}

static void near(const struct device_calls *c, double measured, double share)
{
    const double ns = device_calls_cycles(&h200, c) / h200.boost_mhz * 1e3;
    if (fabs(ns / measured - 1) > share)
        fail_msg("%.0f ns, measured %.0f", ns, measured);
}

static void near_printf(double blocks, double warps, double lanes, double rounds, double measured)
{
    near(&(struct device_calls){.n[CALL_PRINTF] = calls(blocks, warps, lanes, rounds)}, measured - 7000, 0.2);
}

static void printf_as_measured(void **state)
{
    (void)state;
    near_printf(1, 1, 1, 1, 28704);
    near_printf(1, 1, 1, 64, 1296000);
    near_printf(1, 1, 32, 8, 188512);
    near_printf(1, 32, 1, 4, 294656);
    near_printf(132, 1, 1, 1, 279520);
    near_printf(132, 1, 32, 1, 1196128);
    near_printf(1056, 1, 32, 1, 10523392);
    near_printf(500, 1, 1, 16, 15962176);
}

static void no_calls_cost_nothing(void **state)
{
    (void)state;
    assert_true(device_calls_cycles(&h200, &(struct device_calls){.heap.blocks = 10}) <= 0);
}

static int find(void **state)
{
    (void)state;
    struct diag_list diags;
    diag_init(&diags);
    const bool found = gpu_find("h200", &h200, &diags) == LS_OK;
    diag_free(&diags);
    return !found;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printf_as_measured),
        cmocka_unit_test(no_calls_cost_nothing),
    };
    return cmocka_run_group_tests(tests, find, NULL);
}
