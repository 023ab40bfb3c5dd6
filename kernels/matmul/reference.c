/* reference.c of matmul - the product in double, and how far a float one may be from it.
 *
 * An element is a sum of k products. In whatever order it is summed, and with or without fused multiply-adds, a term
 * passes at most k roundings (one for its product, k - 1 for sums: the first is to zero and exact), so by Higham
 * (Accuracy and Stability, 3.1) |error| <= gamma_k sum |a||b|, gamma_k = k u / (1 - k u), u = 2^-24. Zeros that fill up
 * a tile add nothing.
 *
 * Tensor cores: a product of two fp16, bf16 or tf32 numbers has at most 22 bits and is exact; sums are truncated rather
 * than rounded (Fasi and others, Numerical behavior of NVIDIA tensor cores, 2021), each term after alignment to the
 * largest of its group: u = 2^-23, and two roundings a term, one of the alignment and one of the sum. wmmaTf32 rounds
 * its inputs itself, to nearest with ties away from zero (cvt.rna), so the reference does the same and the bound need
 * not cover it.
 *
 * The smallest product is 0.25: up to k = 1500 or so a dropped one cannot hide, for the bound is below that; with more,
 * those near it can. */
#include <math.h>
#include <string.h>

#include "kernels/families.h"
#include "kernels/matmul/columns.h"

enum { STRIP = 8, GROUP = 4, BAND = 64 }; /* columns and rows that are summed at once; rows for which B is read once */

/* The value of an fp16 or bf16 number: the inputs are neither zero, denormal nor infinite. */
static double narrow(u16 bits, u32 mantissa_bits, i32 bias)
{
    u32 mantissa = bits & ((1u << mantissa_bits) - 1), exponent = (bits & 0x7fffu) >> mantissa_bits;
    double v = ldexp(1 + ldexp(mantissa, -(i32)mantissa_bits), (i32)exponent - bias);
    return bits >> 15 ? -v : v;
}

static double to_tf32(f32 v)
{
    u32 bits;
    memcpy(&bits, &v, 4);
    bits = (bits + 0x1000u) & ~0x1fffu; /* 13 bits go; half of them is added to the magnitude: ties away */
    memcpy(&v, &bits, 4);
    return v;
}

/* The elements of a buffer as the kernel multiplies them. */
static double *widen(const struct outcome *o, u32 buffer)
{
    const struct buffer *b = &o->plan->buffers[buffer];
    const u16 *narrows = o->before[buffer];
    const f32 *floats = o->before[buffer];
    const bool tf32 = o->rung->columns->tf32;
    double *out = arena_array(o->plan->mem, double, b->count);
    for (u64 i = 0; i < b->count; i++)
        out[i] = b->type == BUFFER_HALF   ? narrow(narrows[i], 10, 15)
                 : b->type == BUFFER_BF16 ? narrow(narrows[i], 7, 127)
                 : tf32                   ? to_tf32(floats[i])
                                          : (double)floats[i];
    return out;
}

/* ---- the product ----
 *
 * In double, each element's products in the order of k. Strips of B are packed, so that one stays in the second-level
 * cache while the rows of a band of A are multiplied with it, GROUP at a time. A vector holds the columns of a strip
 * and no sum is split, so the result does not depend on the processor. */

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

typedef double columns __attribute__((vector_size(STRIP * sizeof(double))));

struct factors {
    const double *a, *b;
    u64 rows, inner, cols;
    columns *packed; /* inner of them: a strip of b */
};

/* Columns that b does not have are 0. */
static void pack(const struct factors *f, u64 first)
{
    const u64 n = f->cols - first < STRIP ? f->cols - first : STRIP;
    for (u64 k = 0; k < f->inner; k++) {
        columns v = {0};
        for (u64 j = 0; j < n; j++)
            v[j] = f->b[k * f->cols + first + j];
        f->packed[k] = v;
    }
}

CLONES static void multiply(const double *const row[GROUP], const columns *b, u64 inner, columns out[GROUP])
{
    columns sum[GROUP] = {{0}};
    for (u64 k = 0; k < inner; k++)
        for (u32 r = 0; r < GROUP; r++)
            sum[r] += row[r][k] * b[k];
    memcpy(out, sum, sizeof sum);
}

/* out[row - first][column] for the rows of a band. */
static void multiply_band(const struct factors *f, u64 first, u64 n, double *out)
{
    for (u64 at = 0; at < f->cols; at += STRIP) {
        const u64 width = f->cols - at < STRIP ? f->cols - at : STRIP;
        pack(f, at);
        for (u64 group = 0; group < n; group += GROUP) {
            const double *row[GROUP];
            columns sums[GROUP];
            for (u64 r = 0; r < GROUP; r++) /* behind the last row: that one again */
                row[r] = f->a + (first + (group + r < n ? group + r : n - 1)) * f->inner;
            multiply(row, f->packed, f->inner, sums);
            for (u64 r = 0; r < GROUP && group + r < n; r++)
                memcpy(out + (group + r) * f->cols + at, &sums[r], width * sizeof(double));
        }
    }
}

/* The same of the absolute values, or NULL when none is below 0: the sum is its own magnitude then. */
static const double *magnitudes(struct arena *mem, const double *v, u64 n)
{
    double *out = NULL;
    for (u64 i = 0; i < n && !out; i++)
        if (v[i] < 0)
            out = arena_array(mem, double, n);
    for (u64 i = 0; i < n && out; i++)
        out[i] = fabs(v[i]);
    return out;
}

void matmul_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    struct arena *mem = o->plan->mem;
    const f32 *got = o->after[0];
    const struct factors f = {widen(o, 1), widen(o, 2),
                              s->rows,     s->k,
                              s->cols,     arena_alloc_aligned(mem, s->k * sizeof(columns), sizeof(columns))};
    struct factors absolute = f;
    const double *a = magnitudes(mem, f.a, f.rows * f.inner), *b = magnitudes(mem, f.b, f.inner * f.cols);
    absolute.a = a ? a : f.a;
    absolute.b = b ? b : f.b;
    const double nu = o->rung->columns->tensor ? 2 * s->k * 0x1p-23 : s->k * 0x1p-24, gamma = nu / (1 - nu);
    double *want = arena_array(mem, double, BAND *f.cols);
    double *most = a || b ? arena_array(mem, double, BAND *f.cols) : want;
    for (u64 row = 0; row < f.rows; row += BAND) {
        const u64 n = f.rows - row < BAND ? f.rows - row : BAND;
        multiply_band(&f, row, n, want);
        if (most != want)
            multiply_band(&absolute, row, n, most);
        for (u64 i = 0; i < n * f.cols; i++)
            check_element(c, row * f.cols + i, got[row * f.cols + i], want[i], gamma * most[i]);
    }
}
