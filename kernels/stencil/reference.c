/* reference.c of stencil - the derivative in double, with a bound on what float arithmetic may be off.
 *
 * With u = 2^-24, a kernel computes fl(tmp + c * fl(a - b)) `radius` times, with or without fused multiply-add. A term
 * passes through one subtraction, at most one multiplication and at most `radius` additions: so its error is at most
 * g |c| (|a| + |b|) with g = m u / (1 - m u) for m = radius + 2 roundings (Higham, Accuracy and Stability of Numerical
 * Algorithms, lemma 3.1). The coefficients are those that the kernels get: rounded to float. */
#include <math.h>

#include "kernels/families.h"

void stencil_check(const struct outcome *o, struct check *c)
{
    const f32 *in = o->before[0], *out = o->after[1];
    const i64 radius = o->shape->k;
    const double m = ((double)radius + 2) * 0x1p-24, g = m / (1 - m);
    f32 coef[9] = {0};
    for (i64 i = 1; i <= radius; i++)
        coef[i] = (f32)stencil_coefficient((u32)radius, (u32)i);
    for (u64 k = 0; k < o->shape->n; k++) {
        double want = 0, size = 0;
        for (i64 i = 1; i <= radius; i++) {
            double right = in[(i64)k + i], left = in[(i64)k - i];
            want += coef[i] * (right - left);
            size += fabs((double)coef[i]) * (fabs(right) + fabs(left));
        }
        check_element(c, k, out[k], want, g * size);
    }
}
