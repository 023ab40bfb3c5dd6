/* reference.c of vector - each operation in double, and how far off the float result may be.
 *
 * u = 2^-24 is float's unit roundoff: fl(x) = x (1 + d), |d| <= u. Double's own errors, below 2^-50 of a result, are
 * far inside what (1 + u) factors leave. The approximations' bounds are those of the CUDA C++ Programming Guide
 * (mathematical functions, intrinsics). */
#include <math.h>

#include "kernels/families.h"
#include "kernels/vector/columns.h"

const f32 vector_factor = 1.7f;
const f32 vector_quotient[2] = {1.3f, -0.7f};

static const double u = 0x1p-24;

/* a * b + c with one rounding or with two; compilers may fuse or not. */
static double twice_rounded(double product, double sum)
{
    return u * fabs(product) + u * (fabs(sum) + u * fabs(product));
}

/* The distance of floats about x: 2^(e - 24) for |x| in [2^(e - 1), 2^e). */
static double ulp(double x)
{
    int e;
    frexp(x, &e);
    return ldexp(1, e - 24);
}

/* One element: what it must be and how far off. a, b and c are the buffers' elements. */
struct want {
    double value, bound;
};

static struct want add(double a, double b, double c)
{
    (void)c;
    return (struct want){a + b, u * fabs(a + b)};
}

static struct want multiply_add(double a, double b, double c)
{
    return (struct want){a * b + c, twice_rounded(a * b, a * b + c)};
}

static struct want fused(double a, double b, double c) { return (struct want){a * b + c, u * fabs(a * b + c)}; }

static struct want divided(double a, double b, double c)
{
    (void)c;
    return (struct want){a / b, u * fabs(a / b)};
}

/* __fdividef: 2 ulp for divisors from 2^-126 to 2^126. The manual counts ulps from the correctly rounded result, which is
 * half a one off itself. */
static struct want divided_fast(double a, double b, double c)
{
    (void)c;
    return (struct want){a / b, 2.5 * ulp(a / b)};
}

static struct want doubled(double a, double b, double c)
{
    (void)b, (void)c;
    return (struct want){2 * a, 0};
}

/* fl(1 / fl(sqrt(x))): two roundings, (1 + d2) / (1 + d1). */
static struct want reciprocal_root(double a, double b, double c)
{
    (void)b, (void)c;
    double y = 1 / sqrt(fabs(a));
    return (struct want){y, 2 * u / (1 - 2 * u) * y};
}

/* rsqrtf: 2 ulp over the full range, likewise. */
static struct want reciprocal_root_fast(double a, double b, double c)
{
    (void)b, (void)c;
    double y = 1 / sqrt(fabs(a));
    return (struct want){y, 2.5 * ulp(y)};
}

/* The polynomial, for |x| <= 2, so that |k| <= 1 and |r| <= pi / 4 < 0.7855. The first step of the reduction is exact
 * (x and the float near pi/2 are multiples of 2^-24, and so is their difference, which is below 1), the second rounds
 * once: r is off by at most 0.786 u.
 * Sine: r + r z p(z), z = r^2. |r z p| <= 0.081, and it carries six roundings (r, z twice, p's own and its
 *   coefficient): 0.49 u; the last fused operation: u |sin| <= 0.71 u; what Taylor's series lacks: r^11 / 11! < 2e-9
 *   = 0.03 u. Together 2.03 u.
 * Cosine: 1 + z q(z), |z| <= 0.617, q near -1/2. z is off by 2 |r| 0.786 u + 0.617 u = 1.86 u, halved 0.93 u; q by
 *   half a rounding and what comes from below, 0.63 u, times z 0.39 u; the last operation u; lacking
 *   r^12 / 12! < 2e-10. Together 2.33 u. */
static struct want sine(double a, double b, double c)
{
    (void)b, (void)c;
    return (struct want){sin(a), 2.5 * u};
}

/* __sinf: 2^-21.41 absolute from -pi to pi. */
static struct want sine_fast(double a, double b, double c)
{
    (void)b, (void)c;
    return (struct want){sin(a), exp2(-21.41)};
}

/* y = a x + y. */
static struct want saxpy(double x, double y, double c)
{
    (void)c;
    return multiply_add(vector_factor, x, y);
}

/* The quotient is rounded before: its error, u |a|, goes into the product. */
static struct want saxpy_quotient(double x, double y, double c)
{
    (void)c;
    double product = (double)vector_quotient[0] / (double)vector_quotient[1] * x;
    return (struct want){product + y, u * fabs(product) + (1 + u) * twice_rounded(product, product + y)};
}

static const struct judge {
    struct want (*element)(double a, double b, double c);
    u32 b, c, out; /* buffers; a is always 0 */
} judges[] = {
    [SAXPY] = {saxpy, 1, 0, 1},
    [SAXPY_QUOTIENT] = {saxpy_quotient, 1, 0, 1},
    [ADD] = {add, 1, 0, 2},
    [DIVIDE] = {divided, 1, 0, 2},
    [DIVIDE_FAST] = {divided_fast, 1, 0, 2},
    [MULTIPLY_ADD] = {multiply_add, 1, 2, 2},
    [FUSED] = {fused, 1, 2, 2},
    [SCALE] = {doubled, 0, 0, 0},
    [ROOT] = {reciprocal_root, 0, 0, 1},
    [ROOT_FAST] = {reciprocal_root_fast, 0, 0, 1},
    [SINE] = {sine, 0, 0, 1},
    [SINE_FAST] = {sine_fast, 0, 0, 1},
};

void vector_check(const struct outcome *o, struct check *c)
{
    const struct judge *j = &judges[o->rung->columns->op];
    const f32 *a = o->before[0], *b = o->before[j->b], *third = o->before[j->c], *out = o->after[j->out];
    for (u64 i = 0; i < o->shape->n; i++) {
        struct want w = j->element(a[i], b[i], third[i]);
        check_element(c, i, out[i], w.value, w.bound);
    }
}
