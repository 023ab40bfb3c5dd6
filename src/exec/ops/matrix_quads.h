/* matrix_quads.h - mma.m8n8k4 of f16 (PTX ISA 9.7.14.5.1): each quad of lanes, q, has with lanes 4 q to 4 q + 3 and the four that
 * are 16 further on a product of its own, of 8 x 4 by 4 x 8.
 *
 * Hopper has no such instruction. ptxas (CUDA 13.0) makes f32 arithmetic of it, each operation rounded to nearest:
 *
 *     f32 result: c + (a3 b3 + (a2 b2 + (a1 b1 + a0 b0))), products fused with the sum
 *     f16 result: (c + (a1 b1 + a0 b0)) + (a3 b3 + a2 b2), to f16 */
#ifndef LS_EXEC_OPS_MATRIX_QUADS_H
#define LS_EXEC_OPS_MATRIX_QUADS_H

#include "exec/ops/matrix_float.h"
#include "exec/ops/matrix_tensor.h"

enum { QUADS = 4, QUAD_LINES = 8, QUAD_K = 4 };

struct quad {
    f32 a[QUAD_LINES][QUAD_K], b[QUAD_LINES][QUAD_K], c[QUAD_LINES][QUAD_LINES];
};

LANE_FN u32 quad_lane(u32 q, u32 line) { return 4 * q + line % 4 + line / 4 * 16; }
LANE_FN u32 quad_word(const u8 *regs, u32 slot, u32 lane) { return ((const u32 *)(const void *)(regs + slot))[lane]; }
LANE_FN f32 quad_half(const struct ir_fragment *f, const u8 *regs, u32 lane, u32 i)
{
    return f32_of_f16(quad_word(regs, f->slots[i / 2], lane) >> i % 2 * 16 & 0xffff);
}

/* Lines of a, or columns of b. Crossed: a lane has four lines of one k. */
LANE_FN void quad_read(const struct ir_fragment *f, bool crossed, const u8 *regs, u32 q, f32 (*to)[QUAD_K])
{
    for (u32 line = 0; line < QUAD_LINES; line++)
        for (u32 k = 0; k < QUAD_K; k++)
            to[line][k] = crossed ? quad_half(f, regs, quad_lane(q, k + line / 4 * 4), line % 4)
                                  : quad_half(f, regs, quad_lane(q, line), k);
}

/* Which lane has an element of a f32 accumulator, in which register. */
LANE_FN u32 quad_sum_lane(u32 q, u32 line, u32 column) { return quad_lane(q, line / 4 * 4 + line % 2 + (column & 2)); }
LANE_FN u32 quad_sum_register(u32 line, u32 column) { return (column & 4) + (line & 2) + (column & 1); }

LANE_FN void quad_read_sums(const struct ir_fragment *f, const u8 *regs, u32 q, struct quad *x)
{
    for (u32 line = 0; line < QUAD_LINES; line++)
        for (u32 n = 0; n < QUAD_LINES; n++)
            x->c[line][n] =
                f->type == PTX_F16
                    ? quad_half(f, regs, quad_lane(q, line), n)
                    : f32_of_bits(quad_word(regs, f->slots[quad_sum_register(line, n)], quad_sum_lane(q, line, n)));
}

LANE_FN u32 quad_plain(f32 x) { return x == x ? f32_bits(x) : F32_NAN; }

LANE_FN u32 quad_element(const struct quad *x, u32 line, u32 n, bool half)
{
    const f32 *a = x->a[line], *b = x->b[n];
    if (half) {
        const f32 first = f32_fma(a[1], b[1], a[0] * b[0]), second = f32_fma(a[3], b[3], a[2] * b[2]);
        return f16_nearest_f32((x->c[line][n] + first) + second);
    }
    const f32 low = f32_fma(a[1], b[1], f32_fma(a[0], b[0], 0));
    return quad_plain(x->c[line][n] + f32_fma(a[3], b[3], f32_fma(a[2], b[2], low)));
}

LANE_FN void quad_write(const struct ir_fragment *f, u8 *regs, u32 q, u32 line, u32 n, u32 x)
{
    const bool half = f->type == PTX_F16;
    const u32 slot = half ? f->slots[n / 2] : f->slots[quad_sum_register(line, n)];
    const u32 lane = half ? quad_lane(q, line) : quad_sum_lane(q, line, n), shift = half ? n % 2 * 16 : 0;
    u32 *to = (u32 *)(void *)(regs + slot) + lane;
    *to = half ? (*to & ~(0xffffu << shift)) | x << shift : x;
}

/* All is read before anything is written: a register of d may be any operand's. */
static __attribute__((noinline, unused)) void multiply_quads(const struct ir_matrix *x, u8 *regs)
{
    struct quad quads[QUADS];
    for (u32 q = 0; q < QUADS; q++) {
        quad_read(&x->a, x->crossed, regs, q, quads[q].a);
        quad_read(&x->b, x->b_crossed, regs, q, quads[q].b);
        quad_read_sums(&x->c, regs, q, &quads[q]);
    }
    for (u32 q = 0; q < QUADS; q++)
        for (u32 line = 0; line < QUAD_LINES; line++)
            for (u32 n = 0; n < QUAD_LINES; n++)
                quad_write(&x->d, regs, q, line, n, quad_element(&quads[q], line, n, x->d.type == PTX_F16));
}

#endif
