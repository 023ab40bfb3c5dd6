/* reference.c of fft - the transforms in double, by a recursion of radix 2, with bounds on what float may be off.
 *
 * Fast ones: Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2: with t = log2 n passes of radix 2, u
 * = 2^-24 and twiddles off by at most mu,
 *
 *     |X' - X| <= t eta / (1 - t eta) |X|,    eta = mu + g_4 (sqrt 2 + mu),    g_4 = 4 u / (1 - 4 u)
 *
 * in the 2-norm over one transform. Here mu = u: both parts of a twiddle are rounded once. The theorem is for
 * butterflies that multiply first; those that multiply last (Stockham's, the shuffles') are their transposes, and a
 * pass's error is made of the same addition and multiplication. A pass of radix 4 or 8 does no more additions and
 * products a number than the 2 or 3 passes it stands for. The four-step's middle factors stand for the last twiddles of
 * its columns, which are all 1, so exact. The norm is checked, and so each element, which is off by no more than the
 * norm; that catches a number left out: it moves all n elements by its size, sqrt(n) in the norm.
 *
 * Direct: a part of a coefficient is a sum of 2 n real products, g of 2 n + 1 roundings at most for each, and one for
 * the twiddle: off by at most g_(2n+2) times the sum of |x| (section 3.1). */
#include <complex.h>
#include <math.h>

#include "base/alloc.h"
#include "kernels/families.h"
#include "kernels/fft/columns.h"

typedef double complex number;

/* out[0..n) = the transform of in[0], in[stride], ...; roots[j * stride] are the powers of W for n. */
static void transform(const number *in, number *out, u64 n, u64 stride, const number *roots)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    transform(in, out, n / 2, 2 * stride, roots);
    transform(in + stride, out + n / 2, n / 2, 2 * stride, roots);
    for (u64 k = 0; k < n / 2; k++) {
        number even = out[k], odd = out[k + n / 2] * roots[k * stride];
        out[k] = even + odd;
        out[k + n / 2] = even - odd;
    }
}

/* How far off one transform's norm may be; of `direct` ones, one part of an element. */
static double bound_of(const number *x, const number *want, u64 n, bool direct)
{
    const double u = 0x1p-24;
    double sum = 0, squares = 0;
    for (u64 i = 0; i < n; i++) {
        sum += cabs(x[i]);
        squares += creal(want[i]) * creal(want[i]) + cimag(want[i]) * cimag(want[i]);
    }
    if (direct) {
        double m = (2 * (double)n + 2) * u;
        return m / (1 - m) * sum;
    }
    double g4 = 4 * u / (1 - 4 * u), eta = u + g4 * (sqrt(2) + u), t = log2((double)n) * eta;
    return t / (1 - t) * sqrt(squares);
}

static void compare(const f32 *got, const number *want, u64 n, u64 first, double bound, bool direct, struct check *c)
{
    double squares = 0;
    for (u64 i = 0; i < n; i++) {
        double re = got[2 * i], im = got[2 * i + 1];
        squares += (re - creal(want[i])) * (re - creal(want[i])) + (im - cimag(want[i])) * (im - cimag(want[i]));
        check_element(c, 2 * (first + i), re, creal(want[i]), bound);
        check_element(c, 2 * (first + i) + 1, im, cimag(want[i]), bound);
    }
    /* Not an element, so recorded only when it is too large: the transform's first element stands for it then. */
    if (!direct && !(sqrt(squares) <= bound))
        check_element(c, 2 * first, sqrt(squares), 0, bound);
}

void fft_check(const struct outcome *o, struct check *c)
{
    const u64 n = o->shape->n;
    const double turn = (o->shape->k == 2 ? 2 : -2) * 3.14159265358979323846;
    const bool direct = o->rung->columns->way == DIRECT;
    const f32 *in = o->before[0], *out = o->after[1];
    number *roots = ls_realloc(NULL, 3 * n * sizeof(number));
    if (!roots) {
        check_element(c, 0, NAN, 0, 0);
        return;
    }
    number *x = roots + n, *want = x + n;
    for (u64 j = 0; j < n; j++)
        roots[j] = cexp(I * (turn * (double)j / (double)n));
    for (u64 b = 0; b < o->shape->batch; b++) {
        for (u64 i = 0; i < n; i++)
            x[i] = (double)in[2 * (b * n + i)] + (double)in[2 * (b * n + i) + 1] * I;
        transform(x, want, n, 1, roots);
        compare(out + 2 * b * n, want, n, b * n, bound_of(x, want, n, direct), direct, c);
    }
    ls_free(roots);
}
