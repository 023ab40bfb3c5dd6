/* matrix_near.h - the largest exponent of a row's and a column's products, four at a time in bytes, where no operand is
 * special and every other but zeros has an exponent from -48 to 15, as those of f16 have.
 *
 * An element of A is the byte 142 + exponent, or 0 of a zero; one of B is 15 - exponent, or 255. The difference, not below
 * 0, is the product's exponent as a f32 has it, or 0 where a factor is zero: one operation for four products of each row, and
 * the larger of two is one more.
 *
 * With AVX-512 matrix_floors.h says how the bytes lie, and makes the sums besides. Else a word
 * of a vector of A is an element four times; a word of B has four columns of one k:
 *
 *     A, k:  | row 0: a a a a | row 1: a a a a | ...         B, k: | columns 0 1 2 3 |, | columns 4 5 6 7 | */
#ifndef LS_EXEC_OPS_MATRIX_NEAR_H
#define LS_EXEC_OPS_MATRIX_NEAR_H

#include "exec/ops/matrix_rows.h"

#if defined(__AVX512F__)
#define NEAR_FLOORS 1
#else
#define NEAR_FLOORS 0
#endif

/* What makes a byte of an exponent; bytes are from NEAR_LEAST on: all there are, or those for which floors are good. */
enum { NEAR_LOW = -48, NEAR_HIGH = 15, NEAR_A = 142, NEAR_B = NEAR_HIGH - 255 };
enum { NEAR_LEAST = NEAR_FLOORS ? 127 - 85 : 127 + 2 * NEAR_LOW };
/* Columns of a word; words of a k, of eight columns; k of a tile. */
enum { NEAR_COLUMNS = 4, NEAR_WORDS = 2, NEAR_K = 16 };
/* Of 2^(25 - E), as a f32 has it, the exponent's field and E's are so much together. */
enum { NEAR_UP = 2 * 127 + 25 };

/* ---- operands ---- */

/* Of exponents' fields, two to a word, below 0 of zeros, the largest and (of complements) the smallest that is none. */
struct near_range {
    rows_u32 most, least;
};
LANE_FN struct near_range near_none(void)
{
    return (struct near_range){.most = (rows_u32){0} + 0x80008000u, .least = (rows_u32){0} + 0x80008000u};
}
LANE_FN void near_add(struct near_range *r, rows_u32 fields)
{
    r->most = rows_max16(r->most, fields);
    r->least = rows_max16(r->least, ~fields | 0x80008000u);
}
LANE_FN bool near_is(const struct near_range *r, i32 bias)
{
    const i32 low = NEAR_LOW + bias > 0 ? NEAR_LOW + bias : 0;
    const rows_u32 far =
        (rows_u32)((rows_i16x2)r->most > (i16)(NEAR_HIGH + bias)) | (rows_u32)((rows_i16x2)r->least > (i16)~low);
    return !rows_signs((rows_i32)(far | far << 16));
}

/* A level of each field: 0 of zeros. */
LANE_FN rows_u32 near_levels(rows_u32 fields, i32 more)
{
    return rows_max16((rows_u32)((rows_u16x2)fields + (u16)more), (rows_u32){0});
}

/* ---- products ---- */

/* What is the same in all words, in memory: a compiler that knew the numbers would bring them into vectors by way of
 * integer registers, again and again. */
struct near_constants {
    u32 least, range, up, field, twice_bias, byte0, byte2, low, tiny;
};
LANE_FN const struct near_constants *near_constants(void)
{
    static const struct near_constants all = {
        .least = NEAR_LEAST * 0x01010101u,
        .range = (254 - NEAR_LEAST) * 0x01010101u,
        .up = (NEAR_UP - NEAR_LEAST) * 0x01010101u,
        .field = 0x7f800000,
        .twice_bias = 254u << 23,
        .byte0 = 0x000000ff,
        .byte2 = 0x00ff0000,
        .low = 0x0000ffff,
        .tiny = (127 - 14) * 0x01010101u,
    };
    const struct near_constants *k = &all;
    __asm__("" : "+r"(k));
    return k;
}

/* Exponents' fields of four vectors of accumulators, f32; half: they were f16, whose subnormals have the exponent -14. */
LANE_FN rows_u32 near_given(const struct near_constants *k, const rows_u32 *c, bool half)
{
    const rows_u32 first = rows_merge(k->byte0, (c[0] + c[0]) >> 24, c[1] >> 15);
    const rows_u32 second = rows_merge(k->byte2, c[2] >> 7, c[3] + c[3]);
    const rows_u32 e = rows_merge(k->low, first, second);
    if (!half)
        return e;
    const rows_u32 twice = rows_add8(e, e); /* 206 or more, but of zeros */
    return rows_max8(e, rows_min8(twice, (rows_u32){0} + k->tiny));
}

#if !NEAR_FLOORS

/* Of operands; near: all this is there, heavy: tensor_tops. */
struct near_a {
    rows_u32 level[NEAR_K];
    bool near, heavy;
};
struct near_b {
    u32 level[NEAR_K * NEAR_WORDS] __attribute__((aligned(16)));
    bool near, heavy;
};

/* Words of A, and their levels, to elements `at` and following. */
LANE_FN void near_make_a(enum ptx_type t, u32 per, u32 at, const rows_u32 *word, const rows_u32 *levels,
                         struct near_a *to)
{
    (void)t, (void)word;
    for (u32 w = 0; w < 4; w++)
        for (u32 i = 0; i < per; i++)
            to->level[at + w * per + i] = rows_spread(levels[w], i);
}

/* Those of a register of B: words of columns 0 to 3, then of 4 to 7, of k = i, per + i, ... */
LANE_FN void near_make_b(enum ptx_type t, u32 per, u32 at, const rows_u32 *word, const rows_u32 *levels,
                         struct near_b *to)
{
    typedef u32 four __attribute__((vector_size(16), may_alias));
    const four *column = (const four *)(const void *)levels;
    four *words = (four *)(void *)(to->level + at * NEAR_WORDS);
    (void)t, (void)word;
    for (u32 g = 0; g < NEAR_WORDS; g++, column += NEAR_COLUMNS) {
        const four low = column[0] | column[1] << 8, high = column[2] | column[3] << 8;
        words[g] = (low & 0xffff) | high << 16;
        if (per == 2)
            words[NEAR_WORDS + g] = low >> 16 | (high & 0xffff0000u);
    }
}

/* Exponents of the products of columns 0 to 3 and 4 to 7; 0 where all are zero. */
LANE_FN void near_products(u32 per, u32 words, const struct near_a *a, const struct near_b *b, rows_u32 *e)
{
    for (u32 g = 0; g < NEAR_WORDS; g++)
        for (u32 k = 0; k < words * per; k++) {
            const u32 w = k / per, y = b->level[((w / 4 * per + k % per) * NEAR_WORDS + g) * 4 + w % 4];
            const rows_u32 x = rows_less8(a->level[k], (rows_u32){0} + y);
            e[g] = k ? rows_max8(e[g], x) : x;
        }
}

#endif
#endif
