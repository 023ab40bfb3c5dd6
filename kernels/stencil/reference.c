/* reference.c of stencil - the derivative in double, with a bound on what float arithmetic may be off.
 *
 * With u = 2^-24, a kernel computes fl(tmp + c * fl(a - b)) four times, with or without fused multiply-add. A term
 * passes through one subtraction, at most one multiplication and at most four additions: six roundings, so its error is
 * at most g |c| (|a| + |b|) with g = 6 u / (1 - 6 u) (Higham, Accuracy and Stability of Numerical Algorithms,
 * lemma 3.1). */
#include <math.h>

#include "kernels/families.h"

void stencil_check(const struct outcome *o, struct check *c)
{
    const f32 *in = o->before[0], *out = o->after[1];
    const double u = 0x1p-24, g = 6 * u / (1 - 6 * u);
    for (u64 k = 0; k < o->shape->n; k++) {
        double want = 0, size = 0;
        for (i64 i = 1; i <= 4; i++) {
            double right = in[(i64)k + i], left = in[(i64)k - i], coef = stencil_coefficients[i];
            want += coef * (right - left);
            size += fabs(coef) * (fabs(right) + fabs(left));
        }
        check_element(c, k, out[k], want, g * size);
    }
}
