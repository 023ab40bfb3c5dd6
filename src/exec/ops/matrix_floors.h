/* matrix_floors.h - the sums of products near 0 (matrix_near.h) where the processor has AVX-512's fused multiply-adds of f64,
 * which say themselves how they round: one for each product, which multiplies, cuts off and adds at once.
 *
 * Let u = 2^(E - 25), the last bit that is kept, and S a multiple of u. As f64, 1.5 * 2^52 u + S has u for its last bit, so
 * that fma(a, b, 1.5 * 2^52 u + S), rounded down, is 1.5 * 2^52 u + S + floor(ab / u) u. To be cut off towards zero is the
 * floor, but of a negative product that is no multiple of u one more. So that none is a multiple, each a is made longer by
 * 2^-30 of its exponent's power: a product's last bit is 2^-20 of its exponent's, so no other floor changes, and
 *
 *     the sum of terms cut off towards zero = the sum of floors + the number of negative products,
 *
 * which are those whose factors' signs differ. Zeros become +-2^-127 and are counted with them: times 2^16 that is less than
 * u where E is at least NEAR_LEAST; of a smaller E the tile is computed otherwise. The integer is in the lower half of the
 * f64.
 *
 * Vectors have lines as the registers of fragments have them (matrix_rows.h), so that nothing is turned. The products of
 * four vectors of A with the even and the odd columns of B are eight vectors, a line's four words in each, in this order:
 *
 *     lines 0 | even | odd |  lines 1 | even | odd |  lines 2 ...           word q: column 2 q, or 2 q + 1
 *
 * Of bytes - exponents, numbers - a vector has four of them: the first four are byte 0 to 3 of a word in the first. f64 take
 * two vectors, of the even and of the odd words. Elements of k have the order of B's registers: register, element of a word,
 * word. */
#ifndef LS_EXEC_OPS_MATRIX_FLOORS_H
#define LS_EXEC_OPS_MATRIX_FLOORS_H

#include "exec/ops/matrix_near.h"

enum { FLOORS_LINES = 4, FLOORS_RUN = 4 /* elements with one word for their signs */ };
/* What is added to the exponents' fields of f32 to be those of A's and B's f64: of A 101 more, so that the field of
 * 1.5 * 2^52 u is 1024 + E, a bit and a byte. What makes A longer. */
enum { FLOORS_A = (1023 - 127 + 101) << 20, FLOORS_B = (1023 - 127) << 20, FLOORS_MORE = 1 << 22 };

typedef f64 rows_f64 __attribute__((vector_size(4 * VL), may_alias));
typedef u32 floors_four __attribute__((vector_size(16), may_alias));

struct near_a {
    rows_f64 value[NEAR_K][FLOORS_LINES];
    rows_u32 level[NEAR_K][NEAR_WORDS], sign[NEAR_K / FLOORS_RUN][NEAR_WORDS];
    bool near, heavy;
};
/* Pairs of columns n and n + 4; levels and signs of four columns' words. */
struct near_b {
    f64 value[NEAR_K][FLOORS_LINES][2] __attribute__((aligned(64)));
    floors_four level[NEAR_K], sign[NEAR_K / FLOORS_RUN];
    bool near, heavy;
};

/* ---- operands ---- */

/* The upper half of a f64 from a f32 whose last bits are 0. */
LANE_FN rows_u32 floors_upper(rows_f32 x, u32 more) { return ((rows_u32)((rows_i32)x >> 3) & 0x8fffffffu) + more; }

/* `low`, but in the words of each line that mask has word q of x. */
#define FLOORS_PUT(low, x, q, mask)                                                                                    \
    ((rows_u32)_mm512_mask_shuffle_epi32((__m512i)(low), 0x1111 * (mask), (__m512i)(x), (_MM_PERM_ENUM)(0x55 * (q))))

/* In each word bytes 2 i, 2 i, 2 i + 1, 2 i + 1 of word q of the line. */
LANE_FN rows_u32 floors_bytes(rows_u32 x, u32 q, u32 i)
{
    const u32 at = 0x01010000 + (4 * q + 2 * i) * 0x01010101;
    return (rows_u32)_mm512_shuffle_epi8((__m512i)x, _mm512_set1_epi32((i32)at));
}

/* Of bits at byte starts of a line's words: bit q of the byte is word q's; the four words are alike. */
LANE_FN rows_u32 floors_line(rows_u32 x)
{
    const __m512i own = _mm512_sllv_epi32((__m512i)x, _mm512_set4_epi32(3, 2, 1, 0));
    const __m512i two = _mm512_or_si512(own, _mm512_shuffle_epi32(own, _MM_PERM_CDAB));
    return (rows_u32)_mm512_or_si512(two, _mm512_shuffle_epi32(two, _MM_PERM_BADC));
}

/* Signs of the elements of words, of element i at byte 2 i. */
LANE_FN rows_u32 floors_signs(u32 per, rows_u32 x)
{
    return per == 1 ? (rows_u32)(x >> 31) : (rows_u32)(x >> 15 & 0x00010001u);
}

/* Four vectors of words as they are in registers to elements `at` and following of A; levels: of the same. */
LANE_FN void near_make_a(enum ptx_type t, u32 per, u32 at, const rows_u32 *word, const rows_u32 *levels,
                         struct near_a *to)
{
    const rows_u32 low = (rows_u32)((half_u64){0} + (u64)FLOORS_MORE);
    for (u32 v = 0; v < FLOORS_LINES; v++)
        for (u32 i = 0; i < per; i++) {
            const rows_u32 x = floors_upper(rows_finite(t, word[v], i), FLOORS_A);
            rows_f64(*value)[FLOORS_LINES] = to->value + at + i * FLOORS_RUN;
            value[0][v] = (rows_f64)FLOORS_PUT(low, x, 0, 10);
            value[1][v] = (rows_f64)FLOORS_PUT(low, x, 1, 10);
            value[2][v] = (rows_f64)FLOORS_PUT(low, x, 2, 10);
            value[3][v] = (rows_f64)FLOORS_PUT(low, x, 3, 10);
        }
    for (u32 g = 0; g < NEAR_WORDS; g++) {
        const rows_u32 level = levels[2 * g] | levels[2 * g + 1] << 8;
        const rows_u32 below = floors_signs(per, word[2 * g + 1]) << 8;
        const rows_u32 sign = floors_line(floors_signs(per, word[2 * g]) | below);
        for (u32 i = 0; i < per; i++) {
            for (u32 q = 0; q < FLOORS_RUN; q++)
                to->level[at + i * FLOORS_RUN + q][g] = floors_bytes(level, q, i);
            to->sign[at / FLOORS_RUN + i][g] = floors_bytes(sign, 0, i);
        }
    }
}

#define FLOORS_MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

/* Bytes 0 and 2 of the words of eight columns: to[i * words + q] has byte 2 i of word q of all columns, in each word twice those
 * of two. */
LANE_FN void floors_columns(const rows_u32 *x, u32 per, u32 words, floors_four *to)
{
    const floors_four *column = (const floors_four *)(const void *)x;
    const floors_four a = column[0] | column[1] << 8, b = column[2] | column[3] << 8;
    const floors_four c = column[4] | column[5] << 8, d = column[6] | column[7] << 8;
    const floors_four ab = FLOORS_MIX(a, b, 0, 4, 1, 5), cd = FLOORS_MIX(c, d, 0, 4, 1, 5);
    const floors_four ab2 = FLOORS_MIX(a, b, 2, 6, 3, 7), cd2 = FLOORS_MIX(c, d, 2, 6, 3, 7);
    const floors_four word[FLOORS_RUN] = {FLOORS_MIX(ab, cd, 0, 1, 4, 5), FLOORS_MIX(ab, cd, 2, 3, 6, 7),
                                          FLOORS_MIX(ab2, cd2, 0, 1, 4, 5), FLOORS_MIX(ab2, cd2, 2, 3, 6, 7)};
    for (u32 q = 0; q < words; q++) {
        to[q] = (word[q] & 0xffff) | word[q] << 16;
        if (per == 2)
            to[words + q] = word[q] >> 16 | (word[q] & 0xffff0000u);
    }
}

/* A register of words to elements `at` and following of B. */
LANE_FN void near_make_b(enum ptx_type t, u32 per, u32 at, const rows_u32 *word, const rows_u32 *levels,
                         struct near_b *to)
{
    enum { ALL = IR_LANES / VL, HALF = ALL / 2 };
    rows_u32 x[ALL];
    for (u32 i = 0; i < per; i++) {
        for (u32 e = 0; e < ALL; e++)
            x[e] = floors_upper(rows_finite(t, word[e], i), FLOORS_B);
        for (u32 e = 0; e < HALF; e++) {
            const rows_u32 zero = {0};
            rows_u32 *value = (rows_u32 *)(void *)to->value[at + i * FLOORS_RUN] + e;
            value[0 * HALF] = FLOORS_PUT(FLOORS_PUT(zero, x[e], 0, 2), x[HALF + e], 0, 8);
            value[1 * HALF] = FLOORS_PUT(FLOORS_PUT(zero, x[e], 1, 2), x[HALF + e], 1, 8);
            value[2 * HALF] = FLOORS_PUT(FLOORS_PUT(zero, x[e], 2, 2), x[HALF + e], 2, 8);
            value[3 * HALF] = FLOORS_PUT(FLOORS_PUT(zero, x[e], 3, 2), x[HALF + e], 3, 8);
        }
    }
    floors_columns(levels, per, FLOORS_RUN, to->level + at);
    for (u32 e = 0; e < ALL; e++)
        x[e] = floors_line(floors_signs(per, word[e]));
    floors_columns(x, per, 1, to->sign + at / FLOORS_RUN);
}

/* ---- sums ---- */

LANE_FN rows_u32 floors_four_times(floors_four x) { return (rows_u32)_mm512_broadcast_i32x4((__m128i)x); }
LANE_FN rows_f64 floors_pair(const f64 *x) { return (rows_f64)_mm512_broadcast_f64x2(_mm_load_pd(x)); }
LANE_FN rows_f64 floors_step(rows_f64 a, rows_f64 b, rows_f64 sum)
{
    return (rows_f64)_mm512_fmadd_round_pd((__m512d)a, (__m512d)b, (__m512d)sum,
                                           _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
/* How many bits of each byte are set, of 4. */
LANE_FN rows_u32 floors_count(rows_u32 x)
{
    const floors_four counts = {0x02010100, 0x03020201, 0x03020201, 0x04030302};
    return (rows_u32)_mm512_shuffle_epi8((__m512i)floors_four_times(counts), (__m512i)x);
}
/* Lower halves of f64, of even words and of odd ones. */
LANE_FN rows_u32 floors_join(rows_f64 even, rows_f64 odd)
{
    return (rows_u32)_mm512_mask_shuffle_epi32((__m512i)even, 0xaaaa, (__m512i)odd, _MM_PERM_CCAA);
}

/* 1.5 * 2^52 u of the f64 at byte b of 8. */
LANE_FN rows_f64 floors_zero(rows_u32 e, u32 b)
{
    const half_u64 x = (half_u64)e, byte = b < 7 ? x << (52 - 8 * b) : x >> 4;
    return (rows_f64)((byte & 0x0ff0000000000000u) | 0x4008000000000000u);
}

/* Sums of a tile's products, less than what is cut off towards zero by one for each negative. e: as bytes. */
LANE_FN void floors_sums(u32 n, const struct near_a *a, const struct near_b *b, const rows_u32 *e, rows_u32 *sums)
{
    rows_f64 s[4 * FLOORS_LINES];
    UNROLLED for (u32 l = 0; l < FLOORS_LINES; l++)
    {
        UNROLLED for (u32 pair = 0; pair < 4; pair++)
        {
            s[4 * l + pair] = floors_zero(e[l / 2], pair % 2 * 4 + l % 2 * 2 + pair / 2);
        }
    }
    for (u32 k = 0; k < n; k++) {
        rows_f64 x[FLOORS_LINES];
        UNROLLED for (u32 l = 0; l < FLOORS_LINES; l++) x[l] = a->value[k][l];
        UNROLLED for (u32 pair = 0; pair < 4; pair++)
        {
            const rows_f64 y = floors_pair(b->value[k][pair / 2 + pair % 2 * 2]);
            UNROLLED for (u32 l = 0; l < FLOORS_LINES; l++) { s[4 * l + pair] = floors_step(x[l], y, s[4 * l + pair]); }
        }
    }
    UNROLLED for (u32 v = 0; v < 2 * FLOORS_LINES; v++) sums[v] = floors_join(s[2 * v], s[2 * v + 1]);
}

/* Exponents of the products of a tile's eight vectors; 0 where all are zero. */
LANE_FN void near_products(u32 per, u32 words, const struct near_a *a, const struct near_b *b, rows_u32 *e)
{
    rows_u32 first = {0}, second = {0};
    for (u32 k = 0; k < words * per; k++) {
        const rows_u32 level = floors_four_times(b->level[k]);
        first = rows_max8(first, rows_less8(a->level[k][0], level));
        second = rows_max8(second, rows_less8(a->level[k][1], level));
    }
    e[0] = first;
    e[1] = second;
}

/* The sums of a tile's products, each cut off. e: as bytes. */
LANE_FN void near_sums(u32 n, const struct near_a *a, const struct near_b *b, const rows_u32 *e, rows_u32 *sums)
{
    floors_sums(n, a, b, e, sums);
    for (u32 g = 0; g < NEAR_WORDS; g++) {
        rows_u32 negative = {0};
        for (u32 run = 0; run < n / FLOORS_RUN; run++)
            negative += floors_count(a->sign[run][g] ^ floors_four_times(b->sign[run]));
        UNROLLED for (u32 at = 0; at < NEAR_COLUMNS; at++) sums[g * NEAR_COLUMNS + at] += negative >> 8 * at & 0xff;
    }
}

#endif
