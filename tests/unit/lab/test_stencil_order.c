/* test_stencil_order.c - the stencils' coefficients: a formula of radius r is exact for polynomials up to degree 2 r
 * and no further, so on a smooth function its error falls as h^(2 r). All in double: what float arithmetic adds to this
 * is the ladder's own business. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "kernels/families.h"

enum { MAX_RADIUS = 8 };

/* The formula for the derivative of t^power at 0 with h = 1; size: the sum of its terms' sizes. */
static double of_power(u32 radius, u32 power, double *size)
{
    double sum = 0;
    *size = 0;
    for (u32 i = 1; i <= radius; i++) {
        double term = stencil_coefficient(radius, i) * (pow(i, power) - pow(-(double)i, power));
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static void test_exact_for_polynomials(void **state)
{
    (void)state;
    double size;
    for (u32 r = 1; r <= MAX_RADIUS; r++) {
        for (u32 power = 0; power <= 2 * r; power++)
            assert_true(fabs(of_power(r, power, &size) - (power == 1)) <= 1e-14 * (1 + size));
        assert_true(fabs(of_power(r, 2 * r + 1, &size)) > 1e-3 * size);
    }
}

/* The coefficients of radius 4, from the tutorial's program. */
static void test_known(void **state)
{
    (void)state;
    const double want[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    for (u32 i = 1; i <= 4; i++)
        assert_true((f32)stencil_coefficient(4, i) == (f32)want[i - 1]);
    assert_true(stencil_coefficient(1, 1) == 0.5);
}

static double error_on_sine(u32 radius, double x, double h)
{
    double sum = 0;
    for (u32 i = 1; i <= radius; i++)
        sum += stencil_coefficient(radius, i) * (sin(x + i * h) - sin(x - i * h));
    return fabs(sum / h - cos(x));
}

/* Half the step, 4^-r of the error, and a little more because the steps are large: so large that at radius 8 too the
 * error is far above rounding. */
static void test_order_on_sine(void **state)
{
    (void)state;
    for (u32 r = 1; r <= MAX_RADIUS; r++) {
        double order = log2(error_on_sine(r, 1, 1) / error_on_sine(r, 1, 0.5));
        if (!(order > 2.0 * r - 0.7 && order < 2.0 * r + 0.1))
            fail_msg("radius %u: order %g", r, order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_for_polynomials),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_order_on_sine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
