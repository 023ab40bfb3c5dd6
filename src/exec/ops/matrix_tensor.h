/* matrix_tensor.h - what a Hopper tensor core makes of a block of 4, 8 or 16 products and an accumulator, in the vectors of
 * matrix_rows.h: one lane a row.
 *
 * The rule, found on an H200 and held against it bit by bit (tests/hw/tensor; tests/hw/h200/README.md):
 *
 *     The exponent of a product is the sum of its operands' exponents, whatever their significands; subnormals have the
 *     least exponent of their type. Zeros have none. E is the largest of the products' and the accumulator's, and at
 *     least -133. Each term is cut off, towards zero, to a multiple of 2^(E - 25). The terms are added exactly. The sum is
 *     rounded to f32 towards zero, or to f16 to nearest; what is too large is an infinity, a zero is positive.
 *
 * Here a term is an integer: the product in f32, which is exact, times 2^(25 - E), converted. 16 terms below 2^27 have a
 * sum of 32 bits; with the accumulator, below 2^26, it may have more, which is seen. All numbers of exponents are a
 * f32's: biased by 127. Elements that this is not good for are computed one by one (tensor_rare): infinities and NaNs,
 * E where 2^(25 - E) or a product may be no normal number of f32, sums of more than 32 bits.
 *
 * What is left to choose is how E is found. Where all exponents of the operands are near 0 (matrix_near.h) it is in
 * bytes, four columns at a time; else in 16 bits, column by column. And how products are added: those near 0, where the
 * processor can, with one operation for each (matrix_floors.h). */
#ifndef LS_EXEC_OPS_MATRIX_TENSOR_H
#define LS_EXEC_OPS_MATRIX_TENSOR_H

#include "exec/ops/matrix_float.h"
#include "exec/ops/matrix_near.h"
#if NEAR_FLOORS
#include "exec/ops/matrix_floors.h"
#endif

/* Words of A that a block has at most, of two elements each (tf32: one); elements, of 8-bit floats in wgmma; columns of a
 * tile. */
enum { TENSOR_WORDS = 8, TENSOR_K = 16, TENSOR_MOST_K = 32, TILE_COLUMNS = 8 };
/* Bits behind the point of E. E is good from EXPONENT_LOW to EXPONENT_HIGH; -133 is the least there is. */
enum { KEPT = 25, F32_BIAS = 127, EXPONENT_LOW = 27, EXPONENT_HIGH = 247, EXPONENT_LEAST = F32_BIAS - 133 };
/* What is added to the exponents of zeros and of infinities and NaNs: sums are below NO_EXPONENT, or above any other. */
_Static_assert(NEAR_UP == 2 * F32_BIAS + KEPT, "matrix_near.h");
enum { OF_ZERO = -4096, OF_SPECIAL = 12288, NO_EXPONENT = -2000 };

/* ---- operands ---- */

struct tensor_format {
    u32 fraction, most; /* bits; the largest value of the exponent's field */
    i32 bias;
};
LANE_FN struct tensor_format tensor_format(enum ptx_type t)
{
    return t == PTX_F16    ? (struct tensor_format){10, 31, 15}
           : t == PTX_BF16 ? (struct tensor_format){7, 255, 127}
                           : (struct tensor_format){23, 255, 127};
}

/* The exponents' fields of a word's elements, 16 bits each; of a tf32 in the lower half, `other` in the upper. */
LANE_FN rows_u32 rows_exponents(enum ptx_type t, rows_u32 x, u32 other)
{
    const struct tensor_format f = tensor_format(t);
    if (t == PTX_TF32) {
        const rows_u32 field = x << 1 >> 24;
        const rows_u32 zero = (rows_u32)((x & 0x7fffe000) == 0), special = (rows_u32)(field == 255);
        const rows_u32 r = field - (rows_u32)(field == 0) + (zero & (u32)OF_ZERO) + (special & OF_SPECIAL);
        return (r & 0xffff) | other;
    }
#if defined(__AVX512BW__)
    const __mmask32 none = _mm512_testn_epi16_mask((__m512i)x, _mm512_set1_epi16(0x7fff));
    if (t == PTX_F16) { /* the field's five bits choose one of 32 words */
        const __m512i table = _mm512_set_epi16(OF_SPECIAL, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                                               15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1);
        const __m512i e = _mm512_permutexvar_epi16(_mm512_srli_epi16((__m512i)x, 10), table);
        return (rows_u32)_mm512_mask_mov_epi16(e, none, _mm512_set1_epi16(OF_ZERO));
    }
    const __m512i field = _mm512_and_si512(_mm512_srli_epi16((__m512i)x, f.fraction), _mm512_set1_epi16((i16)f.most));
    const __mmask32 special = _mm512_cmpeq_epi16_mask(field, _mm512_set1_epi16((i16)f.most));
    const __m512i r = _mm512_max_epi16(field, _mm512_set1_epi16(1));
    return (rows_u32)_mm512_mask_mov_epi16(_mm512_mask_mov_epi16(r, none, _mm512_set1_epi16(OF_ZERO)), special,
                                           _mm512_set1_epi16(OF_SPECIAL));
#else
    const rows_u16x2 h = (rows_u16x2)x, field = h >> (u16)f.fraction & (u16)f.most;
    const rows_u16x2 zero = (rows_u16x2)((h & 0x7fff) == 0), special = (rows_u16x2)(field == (u16)f.most);
    return (rows_u32)(field - (rows_u16x2)(field == 0) + (zero & (u16)OF_ZERO) + (special & (u16)OF_SPECIAL));
#endif
}

/* In which words both fractions have their first bit. A sum of 16 products and an accumulator has more than 32 bits only if
 * the products lose no more than 2 of their 64 * 2^E, so the row's significands no more than 1 of 32, and the column's: 15 of
 * the 16 at least have that bit, and so all of the first or of the last 8. Of other operands nobody has to look at sums. */
LANE_FN u32 tensor_tops(enum ptx_type t, rows_u32 x)
{
    const u32 top = t == PTX_F16 ? 0x02000200 : 0x00400040;
    return rows_signs((rows_i32)((x & top) == top));
}

/* Whether of the eight words of a line all but one have it at least: of vectors as they are in registers. */
LANE_FN bool tensor_line_tops(enum ptx_type t, rows_u32 x, rows_u32 y)
{
    const u32 a = tensor_tops(t, x), b = tensor_tops(t, y);
    const u32 pairs_a = a & a >> 1, pairs_b = b & b >> 1, some_a = a | a >> 1, some_b = b | b >> 1;
    const u32 four_a = pairs_a & pairs_a >> 2, four_b = pairs_b & pairs_b >> 2;
    const u32 three_a = (pairs_a & some_a >> 2) | (pairs_a >> 2 & some_a);
    const u32 three_b = (pairs_b & some_b >> 2) | (pairs_b >> 2 & some_b);
    return (((four_a & three_b) | (three_a & four_b)) & 0x1111) != 0;
}

/* A block of A: lane i of word w has elements w / 4 * 4 * per + w % 4 * per ... of row i. */
struct tensor_a {
    rows_u32 word[TENSOR_WORDS], exponent[TENSOR_WORDS];
    rows_f32 value[TENSOR_K];
};
LANE_FN void tensor_any_a(enum ptx_type t, u32 per, u32 words, struct tensor_a *a)
{
    for (u32 w = 0; w < words; w++) {
        a->exponent[w] = rows_exponents(t, a->word[w], 0xe0000000);
        for (u32 i = 0; i < per; i++)
            a->value[w * per + i] = rows_finite(t, a->word[w], i);
    }
}
/* Of words as they are in registers with NEAR_FLOORS, else in rows. */
LANE_FN void tensor_near_a_of(enum ptx_type t, u32 per, u32 words, const rows_u32 *word, struct near_a *to)
{
    struct near_range range = near_none();
    for (u32 w = 0; w < words; w += 4) {
        rows_u32 levels[4];
        for (u32 v = 0; v < 4; v++) {
            const rows_u32 fields = rows_exponents(t, word[w + v], 0xe0000000);
            near_add(&range, fields);
            levels[v] = near_levels(fields, NEAR_A - tensor_format(t).bias);
        }
        near_make_a(t, per, w * per, word + w, levels, to);
    }
    to->near = near_is(&range, tensor_format(t).bias);
    to->heavy = false;
    for (u32 w = 0; w < 4 && words * per > 8; w++)
        to->heavy |= NEAR_FLOORS ? tensor_line_tops(t, word[w], word[4 + w])
                                 : tensor_tops(t, word[w / 2 * 4] & word[w / 2 * 4 + 1] & word[w / 2 * 4 + 2] &
                                                      word[w / 2 * 4 + 3]) != 0;
}

/* Registers of B as they are, one behind the other: word w of column n is n * 4 + w % 4 of register w / 4. In the same
 * places what is made of them, values of elements i together. To the exponents is added what makes sums of them a f32's. */
enum { REGISTER_VECTORS = IR_LANES / VL, TENSOR_REGISTERS = TENSOR_WORDS / 4 };
struct tensor_b {
    rows_u32 exponent[TENSOR_REGISTERS * REGISTER_VECTORS];
    rows_f32 value[2 * TENSOR_REGISTERS * REGISTER_VECTORS];
};
LANE_FN void tensor_any_b(enum ptx_type t, u32 per, u32 registers, const rows_u32 *word, struct tensor_b *b)
{
    const u16 more = (u16)(F32_BIAS - 2 * tensor_format(t).bias);
    for (u32 r = 0; r < registers; r++)
        for (u32 e = 0; e < REGISTER_VECTORS; e++) {
            const rows_u32 x = word[r * REGISTER_VECTORS + e];
            b->exponent[r * REGISTER_VECTORS + e] = (rows_u32)((rows_u16x2)rows_exponents(t, x, 0) + more);
            for (u32 i = 0; i < per; i++)
                b->value[(r * per + i) * REGISTER_VECTORS + e] = rows_finite(t, x, i);
        }
}
LANE_FN void tensor_near_b_of(enum ptx_type t, u32 per, u32 registers, const rows_u32 *word, struct near_b *to)
{
    const i32 bias = tensor_format(t).bias;
    struct near_range range = near_none();
    for (u32 r = 0; r < registers; r++) {
        const rows_u32 *x = word + r * REGISTER_VECTORS;
        rows_u32 levels[REGISTER_VECTORS];
        for (u32 e = 0; e < REGISTER_VECTORS; e++) {
            const rows_u32 fields = rows_exponents(t, x[e], 0xe0000000);
            near_add(&range, fields);
            levels[e] = near_levels(fields, -NEAR_B - bias) ^ 0x00ff00ffu;
        }
        near_make_b(t, per, r * 4 * per, x, levels, to);
    }
    to->near = near_is(&range, bias);
    to->heavy = false;
    for (u32 e = 0; e < REGISTER_VECTORS && registers * per > 2; e++)
        to->heavy |= tensor_line_tops(t, word[e], word[REGISTER_VECTORS + e]);
}

/* The same out of the way of what is done for each product. */
static __attribute__((noinline, unused)) void tensor_near_a(enum ptx_type t, u32 words, const rows_u32 *word,
                                                            struct near_a *to)
{
    if (t == PTX_F16)
        tensor_near_a_of(PTX_F16, 2, words, word, to);
    else if (t == PTX_BF16)
        tensor_near_a_of(PTX_BF16, 2, words, word, to);
    else
        tensor_near_a_of(PTX_TF32, 1, words, word, to);
}
static __attribute__((noinline, unused)) void tensor_near_b(enum ptx_type t, u32 registers, const rows_u32 *word,
                                                            struct near_b *to)
{
    if (t == PTX_F16)
        tensor_near_b_of(PTX_F16, 2, registers, word, to);
    else if (t == PTX_BF16)
        tensor_near_b_of(PTX_BF16, 2, registers, word, to);
    else
        tensor_near_b_of(PTX_TF32, 1, registers, word, to);
}

/* ---- elements one by one ---- */

/* A term: magnitude * 2^(exponent - F32_BIAS - fraction). */
struct tensor_term {
    bool negative, infinite, nan;
    i32 exponent, fraction;
    u64 magnitude;
};

LANE_FN struct tensor_term tensor_number(struct tensor_format f, u32 bits, u32 sign)
{
    const u32 field = bits >> f.fraction & f.most, fraction = bits & ((1u << f.fraction) - 1);
    struct tensor_term x = {.negative = bits >> sign & 1, .fraction = (i32)f.fraction};
    x.exponent = (i32)(field ? field : 1) - f.bias + F32_BIAS;
    x.magnitude = field ? fraction | 1u << f.fraction : fraction;
    x.nan = field == f.most && fraction;
    x.infinite = field == f.most && !fraction;
    return x;
}

LANE_FN struct tensor_term tensor_product(struct tensor_term a, struct tensor_term b)
{
    struct tensor_term p = {.negative = a.negative != b.negative, .fraction = a.fraction + b.fraction};
    p.exponent = a.exponent + b.exponent - F32_BIAS;
    p.magnitude = a.magnitude * b.magnitude; /* of a special number it is not 0 */
    p.nan = a.nan || b.nan || ((a.infinite || b.infinite) && !p.magnitude);
    p.infinite = a.infinite || b.infinite;
    return p;
}

LANE_FN i64 tensor_cut(struct tensor_term x, i32 exponent, i32 kept)
{
    const i32 by = x.exponent - x.fraction - exponent + kept;
    const u64 m = by >= 0 ? x.magnitude << by : by > -64 ? x.magnitude >> -by : 0;
    return x.negative ? -(i64)m : (i64)m;
}

/* sum * 2^(exponent - F32_BIAS - kept) to f32 towards zero, or to odd. */
LANE_FN u32 tensor_round(i64 sum, i32 exponent, i32 kept, bool odd)
{
    const u64 m = sum < 0 ? (u64)-sum : (u64)sum;
    if (!m)
        return 0;
    const i32 top = 63 - __builtin_clzll(m), normal = top + exponent - kept, e = normal < 1 ? 1 : normal;
    const i32 by = e - 23 - exponent + kept; /* bits that go */
    const u64 q = by <= 0 ? m << -by : by < 64 ? m >> by : 0;
    const bool lost = by > 0 && (by > 63 || q << by != m);
    const u32 bits = e > 254 ? 0x7f800000 : (u32)q + ((u32)(e - 1) << 23);
    return bits || (odd && lost) ? (bits | (odd && lost)) | (sum < 0 ? 1u << 31 : 0) : 0;
}

struct tensor_dot {
    struct tensor_term terms[TENSOR_MOST_K + 1];
    u32 n;
    i32 kept;
};
static __attribute__((noinline, unused)) u32 tensor_sum(const struct tensor_dot *d, bool half)
{
    i32 exponent = EXPONENT_LEAST;
    bool nan = false, above = false, below = false;
    i64 sum = 0;
    for (u32 k = 0; k < d->n; k++) {
        const struct tensor_term *x = &d->terms[k];
        nan |= x->nan;
        above |= x->infinite && !x->negative;
        below |= x->infinite && x->negative;
        if (x->magnitude && x->exponent > exponent)
            exponent = x->exponent;
    }
    if (nan || (above && below))
        return half ? HALF_NAN : F32_NAN;
    if (above || below)
        return half ? 0x7c00u | below << 15 : 0x7f800000u | (u32)below << 31;
    for (u32 k = 0; k < d->n; k++)
        if (d->terms[k].magnitude)
            sum += tensor_cut(d->terms[k], exponent, d->kept);
    const u32 bits = tensor_round(sum, exponent, d->kept, half);
    if (!half)
        return bits;
    const u32 h = f16_nearest_f32(f32_of_bits(bits));
    return h == 0x8000 ? 0 : h;
}

/* The accumulator, as f32. */
LANE_FN struct tensor_term tensor_given(u32 c, bool half)
{
    struct tensor_term x = tensor_number((struct tensor_format){23, 255, F32_BIAS}, c, 31);
    if (half && x.magnitude && x.exponent < F32_BIAS - 14) { /* a subnormal f16 */
        x.magnitude >>= F32_BIAS - 14 - x.exponent;
        x.exponent = F32_BIAS - 14;
    }
    return x;
}

/* The element of a lane and a column; c as f32. */
LANE_FN u32 tensor_rare(enum ptx_type t, u32 per, u32 words, const struct tensor_a *a, const u32 *b, u32 lane,
                        u32 column, u32 c, bool half)
{
    struct tensor_format f = tensor_format(t);
    struct tensor_dot d = {.n = 0, .kept = KEPT};
    const u32 cut = t == PTX_TF32 ? 13 : 0, width = 32 / per;
    f.fraction -= cut;
    for (u32 w = 0; w < words; w++)
        for (u32 i = 0; i < per; i++) {
            const u32 x = a->word[w][lane] >> i * width, y = b[w / 4 * IR_LANES + column * 4 + w % 4] >> i * width;
            const u32 sign = width - 1 - cut;
            d.terms[d.n++] = tensor_product(tensor_number(f, x >> cut, sign), tensor_number(f, y >> cut, sign));
        }
    d.terms[d.n++] = tensor_given(c, half);
    return tensor_sum(&d, half);
}

/* ---- sums ---- */

/* The largest exponent of the products of each row with a column, and of c. */
LANE_FN rows_i32 tensor_exponent(u32 words, const struct tensor_a *a, const u32 *b, rows_u32 c, bool half)
{
    rows_u32 e = {0};
    for (u32 w = 0; w < words; w++) {
        const rows_u16x2 sum = (rows_u16x2)a->exponent[w] + (rows_u16x2)((rows_u32){0} + b[w / 4 * IR_LANES + w % 4]);
        e = w ? rows_max16(e, (rows_u32)sum) : (rows_u32)sum;
    }
    const rows_i32 products = (rows_i32)rows_max16(e, e << 16 | e >> 16) >> 16;
    rows_i32 field = (rows_i32)(c << 1 >> 24);
    if (half) /* c was an f16: the exponent of the subnormal ones */
        field = rows_max32(field, (rows_i32){0} + (F32_BIAS - 14));
    return rows_max32_if((c << 1) != 0, products, field);
}

/* The products of a row and a column, cut and added. */
LANE_FN rows_i32 tensor_terms(u32 per, u32 words, const struct tensor_a *a, const f32 *b, rows_f32 scale)
{
    rows_u32 sum = {0};
    for (u32 k = 0; k < words * per; k++) {
        const u32 w = k / per, at = (w / 4 * per + k % per) * IR_LANES + w % 4;
        sum += (rows_u32)rows_truncate(a->value[k] * b[at] * scale);
    }
    return (rows_i32)sum;
}

/* The integer to f16, to nearest, by way of f32 rounded to odd. */
LANE_FN rows_u32 tensor_half(rows_i32 sum, rows_f32 unit)
{
    const rows_f32 f = rows_toward_zero(sum);
    const rows_u32 lost = (rows_u32)(rows_truncate(f) != sum) & 1;
    const rows_u32 h = rows_f16_nearest((rows_f32)((rows_u32)f | lost) * unit);
    return h & ~(rows_u32)(h == 0x8000);
}

/* What products and an accumulator are together, as f32 or f16; up: 2^(25 - E), twice_bias: of a f32 2^254. `over`, unless
 * NULL, becomes negative where the sum has more than 32 bits. */
LANE_FN rows_u32 tensor_result(rows_i32 products, rows_u32 c, rows_u32 up, u32 twice_bias, bool half, rows_i32 *over)
{
    const rows_f32 scale = (rows_f32)up, unit = (rows_f32)(twice_bias - up);
    const rows_i32 given = rows_truncate((rows_f32)c * scale);
    const rows_i32 sum = (rows_i32)((rows_u32)products + (rows_u32)given);
    if (over)
        *over |= (products ^ sum) & (given ^ sum);
    return half ? tensor_half(sum, unit) : (rows_u32)(rows_toward_zero(sum) * unit);
}

/* The elements that a column is not good for, one by one. */
LANE_FN void tensor_mend(enum ptx_type t, u32 per, u32 words, const struct tensor_a *a, const u32 *b, const rows_i32 *e,
                         rows_i32 over, bool half, const rows_u32 *c, rows_u32 *d)
{
    for (u32 n = 0; n < TILE_COLUMNS; n++) {
        const u32 rare = rows_outside(e[n], NO_EXPONENT, EXPONENT_LOW, EXPONENT_HIGH) | rows_signs(over);
        for (u32 l = 0; l < VL; l++)
            if (rare >> l & 1)
                d[n][l] = tensor_rare(t, per, words, a, b, l, n, c[n][l], half);
    }
}

/* c += a b of a tile's eight columns, whatever the operands are. All exponents first: they take long to be there. */
LANE_FN void tensor_block_any(enum ptx_type t, u32 per, u32 words, const struct tensor_a *a, const struct tensor_b *b,
                              const u32 *word, bool half, rows_u32 *c)
{
    rows_u32 d[TILE_COLUMNS], least = {0};
    rows_i32 e[TILE_COLUMNS], most = {0}, over = {0};
    for (u32 n = 0; n < TILE_COLUMNS; n++) {
        e[n] = tensor_exponent(words, a, (const u32 *)(const void *)b->exponent + n * 4, c[n], half);
        most = rows_max32(most, e[n]);
        least = n ? rows_least(least, (rows_u32)(e[n] - NO_EXPONENT)) : (rows_u32)(e[n] - NO_EXPONENT);
    }
    for (u32 n = 0; n < TILE_COLUMNS; n++) {
        const rows_u32 field = 2 * F32_BIAS + KEPT - (rows_u32)rows_max32(e[n], (rows_i32){0} + EXPONENT_LOW);
        const f32 *y = (const f32 *)(const void *)b->value + n * 4;
        const rows_i32 products = tensor_terms(per, words, a, y, (rows_f32)(field << 23));
        d[n] = tensor_result(products, c[n], field << 23, 2u * F32_BIAS << 23, half, words * per > 8 ? &over : NULL);
    }
    /* Numbers below NO_EXPONENT are large without their sign. */
    if (LS_UNLIKELY(rows_signs(over | (EXPONENT_HIGH - most) | (rows_i32)(least < (u32)(EXPONENT_LOW - NO_EXPONENT)))))
        tensor_mend(t, per, words, a, word, e, over, half, c, d);
    for (u32 n = 0; n < TILE_COLUMNS; n++)
        c[n] = d[n];
}

/* Whether an element's accumulator is no number, or E is not good for this: without products, an accumulator below 2^NEAR_LEAST
 * is lost. */
static __attribute__((noinline, unused)) bool tensor_strange(const rows_u32 *e, const rows_u32 *c)
{
    rows_u32 bad = {0};
    for (u32 n = 0; n < TILE_COLUMNS; n++) {
        const rows_u32 x = e[n / NEAR_COLUMNS] >> 8 * (n % NEAR_COLUMNS) & 0xff;
        bad |= (rows_u32)(x == 255) | ((rows_u32)((rows_i32)x < NEAR_LEAST) & (rows_u32)((x | c[n] << 1) != 0));
    }
    return rows_signs((rows_i32)bad);
}

/* The operands of a product near 0; a and b are there without NEAR_FLOORS alone. */
struct tensor_near {
    const struct near_a *near_a;
    const struct near_b *near_b;
    const struct tensor_a *a;
    const struct tensor_b *b;
};

/* The same where the exponents of a and b are near 0; false, and nothing done, where an element is to be looked at. With
 * NEAR_FLOORS c has lines as they are in registers (matrix_floors.h). */
#if NEAR_FLOORS /* one for all types */
static
    __attribute__((noinline, unused))
#else
LANE_FN
#endif
    bool
    tensor_block_near(u32 per, u32 words, const struct tensor_near *x, bool half, rows_u32 *c)
{
    const struct near_constants *k = near_constants();
    const rows_u8x4 least = (rows_u8x4)((rows_u32){0} + k->least);
    rows_u32 e[NEAR_WORDS], above[NEAR_WORDS];
    near_products(per, words, x->near_a, x->near_b, e);
    for (u32 g = 0; g < NEAR_WORDS; g++) {
        e[g] = rows_max8(e[g], near_given(k, c + g * NEAR_COLUMNS, half));
        above[g] = (rows_u32)((rows_u8x4)e[g] - least);
    }
    if (LS_UNLIKELY(rows_differ(rows_less8(rows_max8(above[0], above[1]), (rows_u32){0} + k->range), (rows_u32){0}))) {
        if (tensor_strange(e, c))
            return false;
        for (u32 g = 0; g < NEAR_WORDS; g++) {
            e[g] = rows_max8(e[g], (rows_u32)least);
            above[g] = (rows_u32)((rows_u8x4)e[g] - least);
        }
    }
#if NEAR_FLOORS
    rows_u32 sums[TILE_COLUMNS];
    near_sums(words * per, x->near_a, x->near_b, e, sums);
#endif
    for (u32 g = 0; g < NEAR_WORDS; g++) {
        /* Bytes of 2^(25 - E)'s field: 248 and less. */
        const rows_u32 field = (rows_u32)((rows_u8x4)((rows_u32){0} + k->up) - (rows_u8x4)above[g]);
        UNROLLED for (u32 at = 0; at < NEAR_COLUMNS; at++)
        {
            const u32 n = g * NEAR_COLUMNS + at;
            const rows_u32 up = k->field & (at == 3 ? field >> 1 : field << (23 - 8 * at));
#if NEAR_FLOORS
            const rows_i32 products = (rows_i32)sums[n];
#else
            const f32 *y = (const f32 *)(const void *)x->b->value + n * 4;
            const rows_i32 products = tensor_terms(per, words, x->a, y, (rows_f32)up);
#endif
            c[n] = tensor_result(products, c[n], up, k->twice_bias, half, NULL);
        }
    }
    return true;
}

/* Lines as they are in registers to columns, which matrix_rows.h has for them, and back. */
LANE_FN void tensor_columns(rows_u32 *c)
{
    for (u32 side = 0; side < 2; side++) {
        rows_u32 v[4] = {c[side], c[2 + side], c[4 + side], c[6 + side]};
        rows_turn(v);
        for (u32 j = 0; j < 4; j++)
            c[2 * j + side] = v[j];
    }
}

/* Whether that can be tried. */
LANE_FN bool tensor_is_near(const struct near_a *a, const struct near_b *b)
{
    return LS_LIKELY(a->near && b->near && !(a->heavy && b->heavy));
}

LANE_FN void tensor_block_far_of(enum ptx_type t, u32 words, const struct tensor_a *a, const struct tensor_b *b,
                                 const u32 *word, bool half, rows_u32 *c)
{
    const u32 per = t == PTX_TF32 ? 1 : 2;
    if (words == 8)
        tensor_block_any(t, per, 8, a, b, word, half, c);
    else
        tensor_block_any(t, per, 4, a, b, word, half, c);
}

/* c += a b of such a tile, whatever the operands are. */
static __attribute__((noinline, unused)) void tensor_block_far(enum ptx_type t, u32 words, const struct tensor_a *a,
                                                               const struct tensor_b *b, const u32 *word, bool half,
                                                               rows_u32 *c)
{
    if (NEAR_FLOORS)
        tensor_columns(c);
    if (t == PTX_BF16)
        tensor_block_far_of(PTX_BF16, words, a, b, word, false, c);
    else if (t == PTX_TF32)
        tensor_block_far_of(PTX_TF32, words, a, b, word, false, c);
    else if (half)
        tensor_block_far_of(PTX_F16, words, a, b, word, true, c);
    else
        tensor_block_far_of(PTX_F16, words, a, b, word, false, c);
    if (NEAR_FLOORS)
        tensor_columns(c);
}

#endif
