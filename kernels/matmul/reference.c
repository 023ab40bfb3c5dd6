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

enum { STRIP = 64 }; /* columns that are summed at once */

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
    bool tf32 = strcmp(o->rung->name, "wmmaTf32") == 0;
    double *out = arena_array(o->plan->mem, double, b->count);
    for (u64 i = 0; i < b->count; i++)
        out[i] = b->type == BUFFER_HALF   ? narrow(narrows[i], 10, 15)
                 : b->type == BUFFER_BF16 ? narrow(narrows[i], 7, 127)
                 : tf32                   ? to_tf32(floats[i])
                                          : (double)floats[i];
    return out;
}

struct strip {
    double sum[STRIP], magnitude[STRIP];
};

/* A row of A (k elements) times n columns of B, which has `cols`. */
static void strip_sum(const double *a, const double *b, u64 inner, u64 cols, u32 n, struct strip *out)
{
    memset(out, 0, sizeof *out);
    for (u64 k = 0; k < inner; k++)
        for (u32 j = 0; j < n; j++) {
            double product = a[k] * b[k * cols + j];
            out->sum[j] += product;
            out->magnitude[j] += fabs(product);
        }
}

void matmul_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    const f32 *got = o->after[0];
    const double *a = widen(o, 1), *b = widen(o, 2);
    bool tensor = strncmp(o->rung->name, "wmma", 4) == 0;
    double nu = tensor ? 2 * s->k * 0x1p-23 : s->k * 0x1p-24, gamma = nu / (1 - nu);
    struct strip t;
    for (u64 row = 0; row < s->rows; row++)
        for (u64 at = 0; at < s->cols; at += STRIP) {
            u32 n = s->cols - at < STRIP ? (u32)(s->cols - at) : STRIP;
            u64 first = row * s->cols + at;
            strip_sum(a + row * s->k, b + at, s->k, s->cols, n, &t);
            for (u32 j = 0; j < n; j++)
                check_element(c, first + j, got[first + j], t.sum[j], gamma * t.magnitude[j]);
        }
}
