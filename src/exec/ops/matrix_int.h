/* matrix_int.h - products of matrices of integers: 8 bits, 4 bits, and single bits.
 *
 * A stands in vectors of one lane a row (matrix_rows.h), B's words meet a whole column of A. A word of 8-bit or 4-bit
 * elements is taken apart into pairs of 16-bit integers, of which every level multiplies and adds two at a time; which
 * of a word's elements form a pair does not matter, as long as it is the same of A and B. Single bits are counted, byte
 * by byte, where A and B (and, or exclusive or) give 1.
 *
 * The sums are exact in 32 bits, for the largest, k = 64 of s8, is less than 2^20; the accumulator is added at the end,
 * and wraps or, with .satfinite, is clamped there. */
#ifndef LS_EXEC_OPS_MATRIX_INT_H
#define LS_EXEC_OPS_MATRIX_INT_H

#include "exec/access.h"
#include "exec/ops/matrix_rows.h"

/* The largest is m16n8k64 of s4, taken apart: the words of a line of A, and all of B's. */
enum { INT_WORDS = 32, INT_B = 8 * INT_WORDS };

/* Pair i of each word: of `bits` wide elements there are 16 / bits pairs. */
LANE_FN rows_i32 rows_pairs(u32 bits, bool is_signed, rows_u32 x, u32 i)
{
    const rows_u16x2 up = (rows_u16x2)x << (16 - bits - bits * i);
    return is_signed ? (rows_i32)((rows_i16x2)up >> (16 - bits)) : (rows_i32)(up >> (16 - bits));
}

/* Single bits stay as they are. */
LANE_FN rows_i32 rows_part(u32 bits, bool is_signed, rows_u32 x, u32 i)
{
    return bits == 1 ? (rows_i32)x : rows_pairs(bits, is_signed, x, i);
}

LANE_FN void read_int_a(u32 bits, bool is_signed, const struct ir_matrix *x, const u8 *regs, u32 unit, u32 groups,
                        u32 block, rows_i32 *to)
{
    const u32 below = x->m >= BAND ? 1 : 0; /* of 8 lines, the lines below are copies */
    for (u32 g = 0; g < groups; g++, unit += 1 + below) {
        rows_u32 v[4];
        rows_read(regs + x->a.slots[unit], regs + x->a.slots[unit + below], block, v);
        for (u32 q = 0; q < 4; q++)
            for (u32 i = 0; i < (bits == 1 ? 1 : 16 / bits); i++)
                *to++ = rows_part(bits, is_signed, v[q], i);
    }
}

LANE_FN void read_int_b(u32 bits, bool is_signed, const struct ir_fragment *f, const u8 *regs, rows_i32 *to)
{
    for (u32 u = 0; u < f->units; u++) {
        const rows_u32 *v = (const rows_u32 *)(const void *)(regs + f->slots[u]);
        for (u32 i = 0; i < (bits == 1 ? 1 : 16 / bits); i++)
            for (u32 e = 0; e < IR_LANES / VL; e++)
                *to++ = rows_part(bits, is_signed, v[e], i);
    }
}

/* How many bits are set in each byte. */
LANE_FN rows_i32 rows_count_bits(rows_u32 x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return (rows_i32)((x + (x >> 4)) & 0x0f0f0f0fu);
}
/* The sum of the bytes of each word; 8 words of bits give 64 a byte at most. */
LANE_FN rows_i32 rows_add_bytes(rows_i32 x)
{
    const rows_u32 pairs = ((rows_u32)x & 0x00ff00ffu) + ((rows_u32)x >> 8 & 0x00ff00ffu);
    return (rows_i32)((pairs & 0xffffu) + (pairs >> 16));
}

/* sum[j] += the block of A times column 2 j + side of B. parts: what a word was taken apart into. */
LANE_FN void int_product(u32 op, u32 parts, u32 groups, const rows_i32 *a, const i32 *b, u32 side, rows_i32 *sum)
{
    for (u32 j = 0; j < 4; j++)
        sum[j] = (rows_i32){0};
    for (u32 g = 0; g < groups; g++, b += parts * IR_LANES)
        for (u32 q = 0; q < 4; q++)
            for (u32 i = 0; i < parts; i++, a++)
                for (u32 j = 0; j < 4; j++) {
                    const i32 y = b[i * IR_LANES + (2 * j + side) * 4 + q];
                    sum[j] += op == MATRIX_MUL   ? rows_dot2(*a, y)
                              : op == MATRIX_AND ? rows_count_bits((rows_u32)(*a & y))
                                                 : rows_count_bits((rows_u32)(*a ^ y));
                }
    for (u32 j = 0; j < 4 && op != MATRIX_MUL; j++)
        sum[j] = rows_add_bytes(sum[j]);
}

LANE_FN rows_u32 rows_add_clamped(rows_u32 c, rows_i32 sum)
{
    const rows_u32 r = c + (rows_u32)sum, end = ((rows_u32)((rows_i32)c >> 31)) ^ 0x7fffffffu;
    return rows_choose((rows_i32)((c ^ r) & ((rows_u32)sum ^ r)) >> 31, end, r);
}

/* bits, op: of a and b alike; is a's elements' sign. */
LANE_FN void int_side(u32 bits, u32 op, const struct ir_matrix *x, const u8 *regs, u32 groups, const rows_i32 *a,
                      const i32 *b, u32 block, u32 n, u32 side, u8 *to)
{
    const u32 tile = x->m >= BAND ? 4 : 2, up = n * tile + side, down = up + tile - 2;
    rows_u32 v[4];
    rows_i32 sum[4];
    int_product(op, bits == 1 ? 1 : 16 / bits, groups, a, b, side, sum);
    rows_read(regs + x->c.slots[up], regs + x->c.slots[down], block, v);
    for (u32 j = 0; j < 4; j++)
        if (x->satfinite)
            v[j] = rows_add_clamped(v[j], sum[j]);
        else
            v[j] += (rows_u32)sum[j];
    rows_write(to + x->d.slots[up], to + x->d.slots[down], block, v);
}

#define FOR_INTS(t, of)                                                                                                \
    switch ((enum ptx_type)(t)) {                                                                                      \
    case PTX_S8:                                                                                                       \
        of(8, true);                                                                                                   \
        break;                                                                                                         \
    case PTX_U8:                                                                                                       \
        of(8, false);                                                                                                  \
        break;                                                                                                         \
    case PTX_S4:                                                                                                       \
        of(4, true);                                                                                                   \
        break;                                                                                                         \
    case PTX_U4:                                                                                                       \
        of(4, false);                                                                                                  \
        break;                                                                                                         \
    default:                                                                                                           \
        of(1, false);                                                                                                  \
        break;                                                                                                         \
    }

MEM_FN void int_bands(u32 bits, u32 op, const struct ir_matrix *x, const u8 *regs, const i32 *b, u8 *to)
{
    rows_i32 a[INT_WORDS];
    const u32 groups = x->k * bits / 128, columns = x->n / 8, words = groups * IR_LANES * (bits == 1 ? 1 : 16 / bits);
    const u32 bands = x->m >= BAND ? x->m / BAND : 1, blocks = x->m >= BAND ? BLOCKS : (BLOCKS + 1) / 2;
    for (u32 band = 0; band < bands; band++)
        for (u32 block = 0; block < blocks; block++) {
#define READ_INT_A(bits, is_signed) read_int_a(bits, is_signed, x, regs, band * 2 * groups, groups, block, a)
            FOR_INTS(x->a.type, READ_INT_A)
            for (u32 n = 0; n < columns; n++)
                for (u32 side = 0; side < 2; side++)
                    int_side(bits, op, x, regs, groups, a, b + n * words, block, band * columns + n, side, to);
        }
}

static void multiply_ints_to(const struct ir_matrix *x, const u8 *from, u8 *to)
{
    rows_i32 b[INT_B / VL];
    const i32 *words = (const i32 *)(const void *)b;
#define READ_INT_B(bits, is_signed) read_int_b(bits, is_signed, &x->b, from, b)
    FOR_INTS(x->b.type, READ_INT_B)
    if (x->a.bits == 8)
        int_bands(8, MATRIX_MUL, x, from, words, to);
    else if (x->a.bits == 4)
        int_bands(4, MATRIX_MUL, x, from, words, to);
    else if (x->op == MATRIX_AND)
        int_bands(1, MATRIX_AND, x, from, words, to);
    else
        int_bands(1, MATRIX_XOR, x, from, words, to);
}

MEM_SLOW void multiply_ints(const struct ir_matrix *x, u8 *regs)
{
    if (x->apart)
        multiply_apart(x, regs, multiply_ints_to);
    else
        multiply_ints_to(x, regs, regs);
}

#endif
