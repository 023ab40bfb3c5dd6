/* matrix_float.h - elements of matrices of floats as numbers of f32, f16 results, and what ptxas adds to a product of 8-bit
 * floats. */
#ifndef LS_EXEC_OPS_MATRIX_FLOAT_H
#define LS_EXEC_OPS_MATRIX_FLOAT_H

#include "exec/access.h"
#include "exec/ops/halves.h"
#include "exec/ops/matrix_rows.h"

/* An f16 in the upper half of a word: its fields in their f32 places are too small by 2^112, subnormals too. */
LANE_FN rows_f32 rows_of_f16(rows_u32 x)
{
    const rows_f32 finite = (rows_f32)((rows_u32)((rows_i32)x >> 3) & 0x8fffe000u) * 0x1p112f;
    const rows_i32 special = (x & 0x7c000000u) == 0x7c000000u;
    return (rows_f32)((rows_u32)finite | ((rows_u32)special & 0x7f800000u));
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
    default: /* tf32 */
        return (rows_f32)(x & 0xffffe000u);
    }
}

/* The same of finite elements alone. */
LANE_FN rows_f32 rows_finite(enum ptx_type t, rows_u32 x, u32 i)
{
    if (t != PTX_F16)
        return rows_element(t, x, i);
    const rows_i32 half = (rows_i32)(i ? x : x << 16);
    return (rows_f32)((rows_u32)(half >> 3) & 0x8fffe000u) * 0x1p112f;
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

/* ---- 8-bit floats ---- */

/* e4m3 in the top byte, as f16: no infinity, the largest magnitude is NaN. */
LANE_FN rows_u32 half_of_e4m3(rows_u32 x)
{
    const rows_f32 finite = (rows_f32)((rows_u32)((rows_i32)x >> 4) & 0x87f00000u) * 0x1p120f;
    const rows_i32 nan = (x & 0x7f000000u) == 0x7f000000u;
    return rows_choose(nan, (rows_u32){0} + HALF_NAN, rows_f16_nearest(finite));
}

/* The lower or the upper two bytes of each word as two f16. */
LANE_FN rows_u32 halves_of_bytes(enum ptx_type t, rows_u32 x, u32 upper)
{
    const rows_u32 second = x << (16 - 16 * upper), first = second << 8;
    if (t == PTX_E4M3)
        return half_of_e4m3(first & 0xff000000u) | half_of_e4m3(second & 0xff000000u) << 16;
    return (first & 0xff000000u) >> 16 | (second & 0xff000000u);
}

/* x + y as the units for single numbers add: f32, or f16 in the low halves. */
LANE_FN rows_u32 rows_plain_sum(rows_u32 x, rows_u32 y, bool half)
{
    if (half) /* of f16 the sum, rounded to f32 and then to f16, is the sum rounded to f16, since 24 >= 2 * 11 + 2 */
        return rows_f16_nearest(rows_element(PTX_F16, x, 0) + rows_element(PTX_F16, y, 0));
    const rows_f32 r = (rows_f32)x + (rows_f32)y;
    return rows_or_nan(r, (rows_u32)r, F32_NAN);
}

#endif
