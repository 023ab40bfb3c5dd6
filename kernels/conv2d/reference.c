/* reference.c of conv2d - the filtered image in double, with a bound on what float arithmetic may be off.
 *
 * Weights are exact products of their two factors. A sum of m products in float, each rounded and added in any order,
 * with or without fused multiply-add, is off by at most g_m times the sum of the products' sizes, g_m = m u / (1 - m
 * u), u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). Direct rungs: m = k k. Separable
 * ones: k for the rows and k for the columns, and (1 + g_k)^2 <= 1 + g_2k (his lemma 3.3). */
#include <math.h>

#include "base/alloc.h"
#include "kernels/conv2d/columns.h"
#include "kernels/families.h"

/* Where position i of a line of n is stored, i from -half on. Mirrored without a remainder, as walks that turn at the
 * ends. */
static u32 place(enum border b, i64 i, i64 n, i64 half)
{
    if (b == BORDER_GIVEN)
        return (u32)(i + half);
    if (b == BORDER_CLAMP)
        return (u32)(i < 0 ? 0 : i >= n ? n - 1 : i);
    while (i < 0 || i >= n)
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return (u32)i;
}

/* at[i] for the positions -half to n - 1 + half. */
static u32 *places(enum border b, u32 n, u32 k)
{
    u32 *at = ls_realloc(NULL, (n + k - 1ull) * 4);
    for (u32 i = 0; at && i < n + k - 1; i++)
        at[i] = place(b, (i64)i - k / 2, n, k / 2);
    return at;
}

struct image {
    const f32 *pixels;
    u32 pitch, k;
    const u32 *row, *col; /* where windows begin and go on */
};

static void window(const struct image *m, u32 y, u32 x, double *want, double *size)
{
    *want = *size = 0;
    for (u32 i = 0; i < m->k; i++) {
        const f32 *line = m->pixels + (u64)m->row[y + i] * m->pitch;
        double sum = 0, sizes = 0;
        for (u32 j = 0; j < m->k; j++) {
            double term = (double)conv2d_row[j] * line[m->col[x + j]];
            sum += term;
            sizes += fabs(term);
        }
        *want += conv2d_column[i] * sum;
        *size += conv2d_column[i] * sizes;
    }
}

void conv2d_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    const struct columns *own = o->rung->columns;
    const enum border b = own->border;
    u32 *row = places(b, s->rows, s->k), *col = places(b, s->cols, s->k);
    struct image m = {o->before[0], b == BORDER_GIVEN ? conv2d_pitch(s) : s->cols, s->k, row, col};
    const f32 *out = o->after[1];
    double mu = (own->separable ? 2.0 * s->k : (double)s->k * s->k) * 0x1p-24, g = mu / (1 - mu);
    for (u32 y = 0; y < s->rows; y++)
        for (u32 x = 0; x < s->cols; x++) {
            double want = NAN, size = 0;
            if (row && col)
                window(&m, y, x, &want, &size);
            check_element(c, (u64)y * s->cols + x, out[(u64)y * s->cols + x], want, g * size);
        }
    ls_free(row);
    ls_free(col);
}
