/* matrix_float.h - products of matrices of floats, of 8 to 32 bits an element (f64: matrix.inc).
 *
 * Every product of two elements is exact in f64. An element's k products are added in f64 in the order of k, beginning
 * with zero, then the accumulator is added, and the sum is rounded once to the result's type (an f16 result of an f32
 * accumulator to f32 first, as ptxas does it). NaN results are 0x7fffffff and 0x7fff.
 *
 * Here: elements as numbers, sums as results; matrix_sums.h multiplies. */
#ifndef LS_EXEC_OPS_MATRIX_FLOAT_H
#define LS_EXEC_OPS_MATRIX_FLOAT_H

#include "exec/access.h"
#include "exec/ops/halves.h"
#include "exec/ops/matrix_rows.h"

/* ---- operands ---- */

/* An f16 in the upper half of a word: its fields in their f32 places are too small by 2^112, subnormals too. */
LANE_FN rows_f32 rows_of_f16(rows_u32 x)
{
    const rows_f32 finite = (rows_f32)((rows_u32)((rows_i32)x >> 3) & 0x8fffe000u) * 0x1p112f;
    const rows_i32 special = (x & 0x7c000000u) == 0x7c000000u;
    return (rows_f32)((rows_u32)finite | ((rows_u32)special & 0x7f800000u));
}

/* e4m3 in the top byte: no infinity, the largest magnitude is NaN. */
LANE_FN rows_f32 rows_of_e4m3(rows_u32 x)
{
    const rows_f32 finite = (rows_f32)((rows_u32)((rows_i32)x >> 4) & 0x87f00000u) * 0x1p120f;
    const rows_i32 nan = (x & 0x7f000000u) == 0x7f000000u;
    return (rows_f32)((rows_u32)finite | ((rows_u32)nan & 0x7fffffffu));
}

/* Element i of each word, low bits first. */
LANE_FN rows_f32 rows_element(enum ptx_type t, rows_u32 x, u32 i)
{
    switch (t) {
    case PTX_F16:
#if defined(__AVX512F__)
        return (rows_f32)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)(x >> 16 * i)));
#elif defined(__F16C__)
        x = x << (16 - 16 * i) >> 16;
        return (rows_f32)_mm256_cvtph_ps(
            _mm_packus_epi32(_mm256_castsi256_si128((__m256i)x), _mm256_extracti128_si256((__m256i)x, 1)));
#else
        return rows_of_f16(x << (16 - 16 * i) & 0xffff0000u);
#endif
    case PTX_BF16:
        return (rows_f32)(x << (16 - 16 * i) & 0xffff0000u);
    case PTX_E4M3:
        return rows_of_e4m3(x << (24 - 8 * i) & 0xff000000u);
    case PTX_E5M2:
        return rows_of_f16(x << (24 - 8 * i) & 0xff000000u);
    default: /* tf32 */
        return (rows_f32)(x & 0xffffe000u);
    }
}

/* What a function is made for: constants, but for the accumulators of 8-bit floats. */
struct float_form {
    enum ptx_type a;
    u32 per;                    /* elements of A and B in a word */
    bool half_c, half_d, twice; /* accumulator and result are f16; see ir_matrix */
};

/* ---- results ---- */

LANE_FN rows_u32 rows_f32_result(struct rows_f64 x)
{
    const rows_f32 r = rows_narrow(x);
    return rows_or_nan(r, (rows_u32)r, F32_NAN);
}

/* To nearest, as f16_nearest_f32. */
LANE_FN rows_u32 rows_f16_nearest(rows_f32 x)
{
#if defined(__AVX512F__)
    const rows_u32 r = (rows_u32)_mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT));
    return rows_or_nan(x, r, HALF_NAN);
#elif defined(__F16C__)
    const rows_u32 r = (rows_u32)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
    return rows_or_nan(x, r, HALF_NAN);
#else
    const rows_u32 u = (rows_u32)x, abs = u & 0x7fffffff, sign = u >> 16 & 0x8000;
    const rows_u32 normal = (abs - 0x38000000u + 0xfffu + (abs >> 13 & 1)) >> 13;
    const rows_u32 tiny = (rows_u32)((rows_f32)abs + 0.5f) - 0x3f000000u;
    const rows_u32 small = rows_choose((rows_i32)abs < 0x38800000, tiny, normal);
    const rows_u32 finite = rows_choose((rows_i32)abs < 0x47800000, small, (rows_u32){0} + 0x7c00u);
    return rows_choose((rows_i32)abs > 0x7f800000, (rows_u32){0} + HALF_NAN, sign | finite);
#endif
}

/* Rounded to odd, as f32_odd_of_f64: towards zero, and the last bit set where something was lost. */
#if defined(__AVX512F__)
LANE_FN __m256 half_odd(half_f64 x)
{
    const __m256 r = _mm512_cvt_roundpd_ps((__m512d)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __mmask8 lost = _mm512_cmp_pd_mask(_mm512_cvtps_pd(r), (__m512d)x, _CMP_NEQ_UQ);
    const __m256i u = _mm256_castps_si256(r);
    return _mm256_castsi256_ps(_mm256_mask_or_epi32(u, lost, u, _mm256_set1_epi32(1)));
}
LANE_FN rows_f32 rows_odd(struct rows_f64 x)
{
    return (rows_f32)_mm512_insertf32x8(_mm512_castps256_ps512(half_odd(x.first)), half_odd(x.second), 1);
}
#else
LANE_FN half_f64 half_abs(half_f64 x) { return (half_f64)((half_u64)x & ~(u64)0 >> 1); }
LANE_FN rows_f32 rows_odd(struct rows_f64 x)
{
    const rows_f32 r = rows_narrow(x);
    const struct rows_f64 back = rows_widen(r);
    const rows_u32 above = rows_join_masks((half_u64)(half_abs(back.first) > half_abs(x.first)),
                                           (half_u64)(half_abs(back.second) > half_abs(x.second)));
    const rows_u32 lost = rows_join_masks((half_u64)(back.first != x.first), (half_u64)(back.second != x.second));
    return (rows_f32)(((rows_u32)r + above) | (lost & 1)); /* ~0 is -1 */
}
#endif

LANE_FN rows_u32 rows_f16_result(struct rows_f64 x, bool twice)
{
    return rows_f16_nearest(twice ? rows_narrow(x) : rows_odd(x));
}

/* sum += one side of the accumulator. f32: four registers a tile, the even and the odd columns of lines 0 to 7, then
 * those of the lines below; f16: two. */
LANE_FN void add_accumulator(bool half, const u8 *regs, const u32 *slots, u32 block, u32 side, struct rows_f64 *sum)
{
    rows_u32 v[4];
    if (half)
        rows_read(regs + slots[0], regs + slots[1], block, v);
    else
        rows_read(regs + slots[side], regs + slots[2 + side], block, v);
    for (u32 j = 0; j < 4; j++) {
        const struct rows_f64 c = rows_widen(half ? rows_element(PTX_F16, v[j], side) : (rows_f32)v[j]);
        sum[j].first += c.first;
        sum[j].second += c.second;
    }
}

/* Rounds and writes. Pairs of f16 are written when both sides are there: `words` keeps the first. */
LANE_FN void put_side(struct float_form form, u8 *regs, const u32 *slots, u32 block, u32 side,
                      const struct rows_f64 *sum, rows_u32 *words)
{
    rows_u32 v[4];
    for (u32 j = 0; j < 4; j++) {
        v[j] = form.half_d ? rows_f16_result(sum[j], form.twice) : rows_f32_result(sum[j]);
        if (form.half_d && side)
            v[j] = words[j] | v[j] << 16;
        words[j] = v[j];
    }
    if (!form.half_d)
        rows_write(regs + slots[side], regs + slots[2 + side], block, v);
    else if (side)
        rows_write(regs + slots[0], regs + slots[1], block, v);
}

#endif
