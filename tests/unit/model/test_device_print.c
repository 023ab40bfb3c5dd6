/* test_device_print.c - what printf moves: what the model says beside what an H200 counted (tests/hw/h200/call-traffic.csv, sectors
 * that SMs ask for, and bytes of DRAM beyond a kernel's that does nothing). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/device_print.h"

static struct device_print_traffic moved(double warps, double lanes, u32 length, u32 arguments, double held)
{
    struct device_print p = {0};
    device_print_add(&p, warps, warps * lanes, length, arguments);
    return device_print_traffic(&p, held);
}

static void near(u64 modelled, double measured, double share)
{
    if (fabs((double)modelled / measured - 1) > share)
        fail_msg("%.0f sectors, measured %.0f", (double)modelled, measured);
}

/* The program's own stores of arguments are among those measured. */
static void stores_as_measured(void **state)
{
    (void)state;
    near(moved(16, 1, 3, 1, 1).writes, 4560, 0.02);
    near(moved(8, 32, 3, 1, 1).writes, 57328, 0.02);
    near(moved(8, 32, 18, 6, 1).writes, 49488, 0.02);
    near(moved(16, 1, 400, 1, 1).writes, 8544, 0.02);
    near(moved(1056, 32, 6, 2, 8).writes, 7355008, 0.02);
}

static void fences_as_measured(void **state)
{
    (void)state;
    near(moved(8, 32, 3, 1, 1).beside - moved(8, 32, 3, 1, 1).beside_reads, 8 * 564, 0.01);
    near(moved(1056, 1, 6, 2, 8).beside - moved(1056, 1, 6, 2, 8).beside_reads, 167557, 0.6);
    near(moved(16, 1, 3, 1, 1).dram_reads, (29184 - 4096) / 32, 0.1);
}

static void no_calls_move_nothing(void **state)
{
    (void)state;
    const struct device_print_traffic t = moved(0, 0, 3, 1, 8);
    assert_int_equal(t.writes + t.far_writes + t.atoms + t.far_atoms + t.beside + t.dram_reads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_as_measured),
        cmocka_unit_test(fences_as_measured),
        cmocka_unit_test(no_calls_move_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
