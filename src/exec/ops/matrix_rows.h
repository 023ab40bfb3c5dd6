/* matrix_rows.h - the vectors in which matrix.inc computes: one lane a row.
 *
 * A vector has VL lanes of 32 bits: all that the level's registers hold. A register of a fragment is 32 words, of which
 * lane l's stands at line l / 4, place l % 4 (ir/matrix.h). Four vectors that lie one behind the other hold VL lines of
 * four words, and the transposition of their 4 x 4 words, 128 bits at a time, makes of them four vectors of which the
 * q-th has each line's word q:
 *
 *     VL = 8:  | 0.0 0.1 0.2 0.3 | 1.0 1.1 1.2 1.3 |        | 0.q 2.q 4.q 6.q | 1.q 3.q 5.q 7.q |
 *              | 2.0 2.1 2.2 2.3 | 3.0 3.1 3.2 3.3 |  <-->
 *              | 4.0 ...         | 5.0 ...         |        (lines.word)
 *              | 6.0 ...         | 7.0 ...         |
 *
 * It is its own inverse, so operands come and results go by the same way, and nobody asks in which lane a line is.
 * Sixteen lines, two registers below each other, are a *band* of 16 / VL such *blocks*. */
/* clang-format off */ // rows of macros and of text
#ifndef LS_EXEC_OPS_MATRIX_ROWS_H
#define LS_EXEC_OPS_MATRIX_ROWS_H

#include "exec/lanes.h"
#include "ir/matrix.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { VL = 16 };
#define ROWS_LOW4(x, y) __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define ROWS_HIGH4(x, y) __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define ROWS_LOW8(x, y) __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14)
#define ROWS_HIGH8(x, y) __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15)
#elif defined(__AVX2__)
enum { VL = 8 };
#define ROWS_LOW4(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define ROWS_HIGH4(x, y) __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define ROWS_LOW8(x, y) __builtin_shufflevector(x, y, 0, 4, 2, 6)
#define ROWS_HIGH8(x, y) __builtin_shufflevector(x, y, 1, 5, 3, 7)
#else
enum { VL = 4 };
#define ROWS_LOW4(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define ROWS_HIGH4(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define ROWS_LOW8(x, y) __builtin_shufflevector(x, y, 0, 2)
#define ROWS_HIGH8(x, y) __builtin_shufflevector(x, y, 1, 3)
#endif
enum { BAND = 16, BLOCKS = BAND / VL, REGISTER = 4 * IR_LANES /* bytes */ };

/* In front of a loop of a few turns. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

typedef u32 rows_u32 __attribute__((vector_size(4 * VL), may_alias));
typedef i32 rows_i32 __attribute__((vector_size(4 * VL), may_alias));
typedef u8 rows_u8x4 __attribute__((vector_size(4 * VL), may_alias));
typedef u16 rows_u16x2 __attribute__((vector_size(4 * VL), may_alias));
typedef i16 rows_i16x2 __attribute__((vector_size(4 * VL), may_alias));
typedef f32 rows_f32 __attribute__((vector_size(4 * VL), may_alias));
typedef u64 half_u64 __attribute__((vector_size(4 * VL), may_alias));

/* v[e] has four words of each line; afterwards v[q] has word q of all lines. And back. */
LANE_FN void rows_turn(rows_u32 *v)
{
    const half_u64 a = (half_u64)ROWS_LOW4(v[0], v[1]), b = (half_u64)ROWS_HIGH4(v[0], v[1]);
    const half_u64 c = (half_u64)ROWS_LOW4(v[2], v[3]), d = (half_u64)ROWS_HIGH4(v[2], v[3]);
    v[0] = (rows_u32)ROWS_LOW8(a, c);
    v[1] = (rows_u32)ROWS_HIGH8(a, c);
    v[2] = (rows_u32)ROWS_LOW8(b, d);
    v[3] = (rows_u32)ROWS_HIGH8(b, d);
}

/* The e-th vector of a block of the band whose lines 0 to 7 are in register `up` and whose others are in `down`. */
LANE_FN u8 *rows_at(u8 *up, u8 *down, u32 block, u32 e)
{
    const u32 line = block * VL + e * (VL / 4);
    return (line < 8 ? up : down) + line % 8 * 16;
}
LANE_FN void rows_read(const u8 *up, const u8 *down, u32 block, rows_u32 *v)
{
    for (u32 e = 0; e < 4; e++)
        v[e] = *(const rows_u32 *)(const void *)rows_at((u8 *)up, (u8 *)down, block, e);
    rows_turn(v);
}
LANE_FN void rows_write(u8 *up, u8 *down, u32 block, rows_u32 *v)
{
    rows_turn(v);
    for (u32 e = 0; e < 4; e++)
        *(rows_u32 *)(void *)rows_at(up, down, block, e) = v[e];
}

/* The sum of the products of two pairs of 16-bit integers a line. */
LANE_FN rows_i32 rows_dot2(rows_i32 a, i32 b)
{
#if defined(__AVX512F__)
    return (rows_i32)_mm512_madd_epi16((__m512i)a, _mm512_set1_epi32(b));
#elif defined(__AVX2__)
    return (rows_i32)_mm256_madd_epi16((__m256i)a, _mm256_set1_epi32(b));
#elif defined(__SSE2__)
    return (rows_i32)_mm_madd_epi16((__m128i)a, _mm_set1_epi32(b));
#else
    const i32 low = (i16)b, high = b >> 16;
    return (a << 16 >> 16) * low + (a >> 16) * high;
#endif
}

/* A product whose result has a register that is still to be read when it is written: by way of other memory. */
typedef void matrix_product(const struct ir_matrix *x, const u8 *from, u8 *to);
static __attribute__((noinline, unused)) void multiply_apart(const struct ir_matrix *x, u8 *regs, matrix_product *multiply)
{
    u8 result[MATRIX_SLOTS * REGISTER] __attribute__((aligned(64)));
    const u32 used = x->d.units * matrix_unit_slots(&x->d);
    struct ir_matrix y = *x;
    for (u32 k = 0; k < used; k++)
        y.d.slots[k] = k * REGISTER;
    multiply(&y, regs, result);
    for (u32 k = 0; k < used; k++)
        memcpy(regs + x->d.slots[k], result + k * REGISTER, REGISTER);
}

/* x where on is ~0, else y. */
LANE_FN rows_u32 rows_choose(rows_i32 on, rows_u32 x, rows_u32 y) { return ((rows_u32)on & x) | (~(rows_u32)on & y); }

/* Integers of 16 and of 32 bits: the larger of each two. */
LANE_FN rows_u32 rows_max16(rows_u32 x, rows_u32 y)
{
#if defined(__AVX512BW__)
    return (rows_u32)_mm512_max_epi16((__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
    return (rows_u32)_mm256_max_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return (rows_u32)_mm_max_epi16((__m128i)x, (__m128i)y);
#else
    const rows_u32 on = (rows_u32)((rows_i16x2)x > (rows_i16x2)y);
    return (on & x) | (~on & y);
#endif
}
LANE_FN rows_i32 rows_max32(rows_i32 x, rows_i32 y)
{
#if defined(__AVX512F__)
    return (rows_i32)_mm512_max_epi32((__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
    return (rows_i32)_mm256_max_epi32((__m256i)x, (__m256i)y);
#else
    return (rows_i32)rows_choose(x > y, (rows_u32)x, (rows_u32)y);
#endif
}

/* Bytes without signs: the larger and the smaller of each two; the difference, or 0; the sum, or 255. */
#if defined(__AVX512BW__)
LANE_FN rows_u32 rows_max8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm512_max_epu8((__m512i)x, (__m512i)y); }
LANE_FN rows_u32 rows_min8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm512_min_epu8((__m512i)x, (__m512i)y); }
LANE_FN rows_u32 rows_less8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm512_subs_epu8((__m512i)x, (__m512i)y); }
LANE_FN rows_u32 rows_add8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm512_adds_epu8((__m512i)x, (__m512i)y); }
#elif defined(__AVX2__)
LANE_FN rows_u32 rows_max8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm256_max_epu8((__m256i)x, (__m256i)y); }
LANE_FN rows_u32 rows_min8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm256_min_epu8((__m256i)x, (__m256i)y); }
LANE_FN rows_u32 rows_less8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm256_subs_epu8((__m256i)x, (__m256i)y); }
LANE_FN rows_u32 rows_add8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm256_adds_epu8((__m256i)x, (__m256i)y); }
#elif defined(__SSE2__)
LANE_FN rows_u32 rows_max8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm_max_epu8((__m128i)x, (__m128i)y); }
LANE_FN rows_u32 rows_min8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm_min_epu8((__m128i)x, (__m128i)y); }
LANE_FN rows_u32 rows_less8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm_subs_epu8((__m128i)x, (__m128i)y); }
LANE_FN rows_u32 rows_add8(rows_u32 x, rows_u32 y) { return (rows_u32)_mm_adds_epu8((__m128i)x, (__m128i)y); }
#else
LANE_FN rows_u32 rows_max8(rows_u32 x, rows_u32 y)
{
    const rows_u32 on = (rows_u32)((rows_u8x4)x > (rows_u8x4)y);
    return (on & x) | (~on & y);
}
LANE_FN rows_u32 rows_min8(rows_u32 x, rows_u32 y) { return ~rows_max8(~x, ~y); }
LANE_FN rows_u32 rows_less8(rows_u32 x, rows_u32 y) { return (rows_u32)((rows_u8x4)rows_max8(x, y) - (rows_u8x4)y); }
LANE_FN rows_u32 rows_add8(rows_u32 x, rows_u32 y) { return ~rows_less8(~x, y); }
#endif

/* Bits of x where mask has them, else of y. */
LANE_FN rows_u32 rows_merge(u32 mask, rows_u32 x, rows_u32 y)
{
#if defined(__AVX512F__)
    return (rows_u32)_mm512_ternarylogic_epi32(_mm512_set1_epi32((i32)mask), (__m512i)x, (__m512i)y, 0xca);
#else
    return (x & mask) | (y & ~mask);
#endif
}

/* Byte 2 i of each word four times; the bytes beside it are 0. */
LANE_FN rows_u32 rows_spread(rows_u32 x, u32 i)
{
#if defined(__AVX512BW__)
    const __m512i at = _mm512_add_epi8(_mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0), _mm512_set1_epi8((char)(2 * i)));
    return (rows_u32)_mm512_shuffle_epi8((__m512i)x, at);
#elif defined(__AVX2__)
    const __m256i at = _mm256_add_epi8(_mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0),
                                       _mm256_set1_epi8((char)(2 * i)));
    return (rows_u32)_mm256_shuffle_epi8((__m256i)x, at);
#else
    const rows_u32 two = i ? (x & 0x00ff0000u) | x >> 16 : x << 16 | (x & 0xffff);
    return two | two << 8;
#endif
}

/* The larger, or x where on is not. */
LANE_FN rows_i32 rows_max32_if(rows_i32 on, rows_i32 x, rows_i32 y)
{
#if defined(__AVX512F__)
    const __mmask16 k = _mm512_test_epi32_mask((__m512i)on, (__m512i)on);
    return (rows_i32)_mm512_mask_max_epi32((__m512i)x, k, (__m512i)x, (__m512i)y);
#else
    return rows_max32(x, (rows_i32)rows_choose(on, (rows_u32)y, (rows_u32)x));
#endif
}
/* The smaller, without signs. */
LANE_FN rows_u32 rows_least(rows_u32 x, rows_u32 y)
{
#if defined(__AVX512F__)
    return (rows_u32)_mm512_min_epu32((__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
    return (rows_u32)_mm256_min_epu32((__m256i)x, (__m256i)y);
#else
    return rows_choose((rows_i32)(x < y), x, y);
#endif
}

/* To an integer, towards zero; any where it is too large for one. */
LANE_FN rows_i32 rows_truncate(rows_f32 x)
{
#if defined(__AVX512F__)
    return (rows_i32)_mm512_cvttps_epi32((__m512)x);
#elif defined(__AVX2__)
    return (rows_i32)_mm256_cvttps_epi32((__m256)x);
#elif defined(__SSE2__)
    return (rows_i32)_mm_cvttps_epi32((__m128)x);
#else
    rows_i32 r;
    for (u32 i = 0; i < VL; i++)
        r[i] = x[i] > -0x1p31f && x[i] < 0x1p31f ? (i32)x[i] : 0;
    return r;
#endif
}

/* An integer as f32, rounded towards zero. Of the absolute value, without AVX-512, the bit is cleared that tells whether the
 * nearest is the next one: the leading bit, moved down by the 24 bits that stay, points at it. */
LANE_FN rows_f32 rows_toward_zero(rows_i32 x)
{
#if defined(__AVX512F__)
    return (rows_f32)_mm512_cvt_roundepi32_ps((__m512i)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
    const rows_u32 sign = (rows_u32)x & 1u << 31, all = (rows_u32)(x >> 31), y = ((rows_u32)x ^ all) - all;
    const rows_i32 cut = (rows_i32)(y & ~(y >> 24));
#if defined(__AVX2__)
    const rows_f32 f = (rows_f32)_mm256_cvtepi32_ps((__m256i)cut);
#elif defined(__SSE2__)
    const rows_f32 f = (rows_f32)_mm_cvtepi32_ps((__m128i)cut);
#else
    const rows_f32 f = __builtin_convertvector(cut, rows_f32);
#endif
    return (rows_f32)((rows_u32)f | sign);
#endif
}

/* Which lanes are negative, a bit each. */
LANE_FN u32 rows_signs(rows_i32 x)
{
#if defined(__AVX512F__)
    return _mm512_cmplt_epi32_mask((__m512i)x, _mm512_setzero_si512());
#elif defined(__AVX2__)
    return (u32)_mm256_movemask_ps((__m256)x);
#elif defined(__SSE2__)
    return (u32)_mm_movemask_ps((__m128)x);
#else
    u32 r = 0;
    for (u32 i = 0; i < VL; i++)
        r |= (u32)(x[i] < 0) << i;
    return r;
#endif
}

/* Whether any bit does. */
LANE_FN bool rows_differ(rows_u32 x, rows_u32 y)
{
#if defined(__AVX512F__)
    return _mm512_cmpneq_epi32_mask((__m512i)x, (__m512i)y) != 0;
#else
    return rows_signs(x != y) != 0;
#endif
}

/* Which lanes are above none but not from low to high. */
LANE_FN u32 rows_outside(rows_i32 x, i32 none, i32 low, i32 high)
{
#if defined(__AVX512F__)
    const __mmask16 below = _mm512_cmplt_epi32_mask((__m512i)x, _mm512_set1_epi32(low));
    const __mmask16 there = _mm512_mask_cmpgt_epi32_mask(below, (__m512i)x, _mm512_set1_epi32(none));
    return there | _mm512_cmpgt_epi32_mask((__m512i)x, _mm512_set1_epi32(high));
#else
    return rows_signs(((x < low) & (x > none)) | (x > high));
#endif
}

/* r where x is a number, else nan. */
LANE_FN rows_u32 rows_or_nan(rows_f32 x, rows_u32 r, u32 nan)
{
#if defined(__AVX512F__)
    const __mmask16 good = _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_ORD_Q);
    return (rows_u32)_mm512_mask_mov_epi32(_mm512_set1_epi32((i32)nan), good, (__m512i)r);
#else
    return rows_choose(x == x, r, (rows_u32){0} + nan);
#endif
}

#endif
