/* reference.c of spill - mean and weighted deviations in double.
 *
 * With u = 2^-24, g_k = k u / (1 - k u) and L elements (Higham, Accuracy and Stability of Numerical Algorithms,
 * section 3.1): the float sum is off by at most g_L S, S the sum of |x|; 1/L is a power of two, so the mean is off by
 * d <= g_L S / L. A deviation is rounded once; the L fused multiplications and additions add g_L of the sum of the
 * terms' sizes. With W the sum of w |x - m| and V = L (L + 1) / 2 the sum of the weights:
 *
 *     |error| <= g_(L+1) (W + V d) + V d
 *
 * For 8 elements that is some 1e-4, for 128 some 0.2; a missing element moves the result by its weight, 1 to 128,
 * times its deviation, 0 to 2.5, and moves the mean besides: in thousands of threads it shows. */
#include <math.h>

#include "kernels/families.h"
#include "kernels/spill/columns.h"

static double gamma_of(double k)
{
    const double u = 0x1p-24;
    return k * u / (1 - k * u);
}

static void check_thread(const f32 *in, u64 stride, u32 length, u64 i, double got, struct check *c)
{
    double sum = 0, size = 0, want = 0, weighed = 0;
    for (u32 j = 0; j < length; j++) {
        sum += in[j * stride + i];
        size += fabs((double)in[j * stride + i]);
    }
    const double mean = sum / length, v = length * (length + 1.0) / 2;
    for (u32 j = 0; j < length; j++) {
        const double deviation = in[(length - 1 - j) * stride + i] - mean;
        want += (j + 1.0) * deviation;
        weighed += (j + 1.0) * fabs(deviation);
    }
    const double off = v * gamma_of(length) * size / length;
    check_element(c, i, got, want, gamma_of(length + 1) * (weighed + off) + off);
}

void spill_check(const struct outcome *o, struct check *c)
{
    const f32 *in = o->before[0], *out = o->after[2];
    for (u64 i = 0; i < o->shape->n; i++)
        check_thread(in, o->shape->n, o->rung->columns->length, i, out[i], c);
}
