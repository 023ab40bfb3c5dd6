/* matrix_f64.h - products of matrices of f64: a chain of fused multiply-adds from the accumulator on, in the order of k. So it is
 * to nearest (measured on an H200); in another rounding mode each of them is rounded so.
 *
 * A register of A has four k of a line, one of the accumulators has four columns of a line, the even or the odd ones:
 * an element of A, where it stands, meets four columns of B, which is brought into such quads. */
#ifndef LS_EXEC_OPS_MATRIX_F64_H
#define LS_EXEC_OPS_MATRIX_F64_H

#include "exec/access.h"
#include "exec/ops/matrix_rows.h"

enum { DOUBLE_K = 16 };
typedef f64 quad_f64 __attribute__((vector_size(32), aligned(32), may_alias));

LANE_FN void quad_fma(f64 a, const quad_f64 *b, quad_f64 *c)
{
#if defined(__FMA__)
    *c = (quad_f64)_mm256_fmadd_pd(_mm256_set1_pd(a), (__m256d)*b, (__m256d)*c);
#else
    for (int i = 0; i < 4; i++)
        (*c)[i] = f64_fma(a, (*b)[i], (*c)[i]);
#endif
}

/* The columns 2 j + side of B, j = 0 to 3, for each k. */
LANE_FN void read_quads(const struct ir_fragment *f, const u8 *regs, u32 side, f64 *to)
{
    for (u32 u = 0; u < f->units; u++) {
        const f64 *unit = (const f64 *)(const void *)(regs + f->slots[u]);
        for (u32 k = 0; k < 4; k++)
            for (u32 j = 0; j < 4; j++)
                *to++ = unit[(2 * j + side) * 4 + k];
    }
}

/* d = c + a b for 8 lines of one side; a: the registers of their units, `step` units apart. */
LANE_FN void double_side(const struct ir_fragment *a, u32 unit, u32 step, u32 groups, const u8 *regs, const quad_f64 *b,
                         const quad_f64 *c, quad_f64 *d)
{
    quad_f64 sum[8];
    for (u32 line = 0; line < 8; line++)
        sum[line] = c[line];
    for (u32 g = 0; g < groups; g++, unit += step) {
        const f64 *x = (const f64 *)(const void *)(regs + a->slots[unit]);
        for (u32 k = 0; k < 4; k++, b++)
            for (u32 line = 0; line < 8; line++)
                quad_fma(x[4 * line + k], b, &sum[line]);
    }
    for (u32 line = 0; line < 8; line++)
        d[line] = sum[line];
}

MEM_SLOW void multiply_doubles(const struct ir_matrix *x, u8 *regs)
{
    quad_f64 b[2][DOUBLE_K], d[MATRIX_SLOTS][8];
    const u32 halves = x->m / 8, groups = x->k / 4;
    for (u32 side = 0; side < 2; side++)
        read_quads(&x->b, regs, side, (f64 *)(void *)b[side]);
    for (u32 k = 0; k < 2 * halves; k++)
        double_side(&x->a, k / 2, halves, groups, regs, b[k % 2],
                    (const quad_f64 *)(const void *)(regs + x->c.slots[k]), d[k]);
    for (u32 k = 0; k < 2 * halves; k++)
        memcpy(regs + x->d.slots[k], d[k], sizeof d[k]);
}

#endif
