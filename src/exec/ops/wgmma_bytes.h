/* wgmma_bytes.h - products of warpgroups of 8-bit floats: not by way of f16 as those of mma, but one block over all 32 of k,
 * as matrix_tensor.h says, with 13 bits kept behind the point of terms instead of 25, and of an f32 result 13 of the fraction's
 * 23 (the same measurement). Operands: exec/sync/wgmma.h.
 *
 * A word has four elements; in vectors they stand in pairs, the lower and the upper two bytes, each in 16 bits. */
#ifndef LS_EXEC_OPS_WGMMA_BYTES_H
#define LS_EXEC_OPS_WGMMA_BYTES_H

#include "exec/ops/wgmma_float.h"

enum { BYTE_KEPT = 13, BYTE_CUT = 23 - BYTE_KEPT, BYTE_PAIRS = 2 * TENSOR_WORDS, BYTE_K = 4 * TENSOR_WORDS };

struct byte_a {
    rows_u32 word[TENSOR_WORDS], exponent[BYTE_PAIRS];
    rows_f32 value[BYTE_K];
};

/* A tile's b: registers as they were, pairs behind each other, then elements. */
struct byte_tile {
    rows_u32 exponent[2 * GROUP_VECTORS];
    rows_f32 value[4 * GROUP_VECTORS];
};
_Static_assert(sizeof(struct byte_tile) <= WGMMA_READY, "what a tile of b becomes");

LANE_FN struct tensor_format byte_format(enum ptx_type t)
{
    return t == PTX_E4M3 ? (struct tensor_format){3, 15, 7} : (struct tensor_format){2, 31, 15};
}

LANE_FN rows_u32 byte_exponents(enum ptx_type t, rows_u32 x, u32 upper)
{
    const struct tensor_format f = byte_format(t);
    const rows_u32 two = x >> 16 * upper;
    const rows_u16x2 h = (rows_u16x2)((two & 0x7f) | (two & 0x7f00) << 8), field = h >> (u16)f.fraction;
    const rows_u16x2 zero = (rows_u16x2)(h == 0);
    const rows_u16x2 special = t == PTX_E4M3 ? (rows_u16x2)(h == 0x7f) : (rows_u16x2)(field == (u16)f.most);
    return (rows_u32)(field - (rows_u16x2)(field == 0) + (zero & (u16)OF_ZERO) + (special & (u16)OF_SPECIAL));
}

/* Elements 0 to 3 of a word. */
LANE_FN rows_f32 byte_value(enum ptx_type t, rows_u32 x, u32 i)
{
    return rows_element(PTX_F16, halves_of_bytes(t, x, i / 2), i % 2);
}

LANE_FN void byte_read_a(enum ptx_type t, const struct wgmma_job *j, u32 rows, struct byte_a *a)
{
    for (u32 g = 0; g < GROUP_REGISTERS; g++)
        rows_read(j->a[2 * g], j->a[2 * g + 1], rows, a->word + 4 * g);
    for (u32 w = 0; w < TENSOR_WORDS; w++) {
        a->word[w] ^= j->x->negative ? 0x80808080u : 0;
        for (u32 i = 0; i < 2; i++)
            a->exponent[2 * w + i] = byte_exponents(t, a->word[w], i);
        for (u32 i = 0; i < 4; i++)
            a->value[4 * w + i] = byte_value(t, a->word[w], i);
    }
}

LANE_FN void byte_ready_b(enum ptx_type a, enum ptx_type t, const rows_u32 *word, struct byte_tile *to)
{
    const u16 bias = (u16)(F32_BIAS - byte_format(a).bias - byte_format(t).bias);
    for (u32 r = 0; r < GROUP_REGISTERS; r++)
        for (u32 e = 0; e < REGISTER_VECTORS; e++) {
            const rows_u32 x = word[r * REGISTER_VECTORS + e];
            for (u32 i = 0; i < 2; i++)
                to->exponent[(2 * r + i) * REGISTER_VECTORS + e] =
                    (rows_u32)((rows_u16x2)byte_exponents(t, x, i) + bias);
            for (u32 i = 0; i < 4; i++)
                to->value[(4 * r + i) * REGISTER_VECTORS + e] = byte_value(t, x, i);
        }
}

/* The largest exponent of each row with column n, and of c. */
LANE_FN rows_i32 byte_exponent(const struct byte_a *a, const struct byte_tile *b, u32 n, rows_u32 c, bool half)
{
    const u32 *y = (const u32 *)(const void *)b->exponent + n * 4;
    rows_u32 e = {0};
    for (u32 w = 0; w < BYTE_PAIRS; w++) {
        const u32 at = (w / 8 * 2 + w % 2) * IR_LANES + w % 8 / 2;
        const rows_u32 sum = (rows_u32)((rows_u16x2)a->exponent[w] + (rows_u16x2)((rows_u32){0} + y[at]));
        e = w ? rows_max16(e, sum) : sum;
    }
    const rows_i32 products = (rows_i32)rows_max16(e, e << 16 | e >> 16) >> 16;
    rows_i32 field = (rows_i32)(c << 1 >> 24);
    if (half)
        field = rows_max32(field, (rows_i32){0} + (F32_BIAS - 14));
    return rows_max32_if((c << 1) != 0, products, field);
}

/* 33 terms below 2^15: the sum is exact as f32. */
LANE_FN rows_u32 byte_column(const struct byte_a *a, const struct byte_tile *b, u32 n, rows_u32 c, rows_i32 e,
                             bool half)
{
    const f32 *y = (const f32 *)(const void *)b->value + n * 4;
    const rows_u32 field = 2 * F32_BIAS + BYTE_KEPT - (rows_u32)rows_max32(e, (rows_i32){0} + EXPONENT_LOW);
    const rows_u32 up = field << 23, down = (2u * F32_BIAS << 23) - up;
    const rows_f32 scale = (rows_f32)up, unit = (rows_f32)down;
    rows_u32 sum = (rows_u32)rows_truncate((rows_f32)c * scale);
    for (u32 k = 0; k < BYTE_K; k++) {
        const u32 w = k / 4, at = (w / 4 * 4 + k % 4) * IR_LANES + w % 4;
        sum += (rows_u32)rows_truncate(a->value[k] * y[at] * scale);
    }
    const rows_f32 r = rows_toward_zero((rows_i32)sum) * unit;
    if (!half)
        return (rows_u32)r >> BYTE_CUT << BYTE_CUT;
    const rows_u32 h = rows_f16_nearest(r);
    return h & ~(rows_u32)(h == 0x8000);
}

/* One element, as tensor_rare does it. */
static __attribute__((noinline, unused)) u32 byte_rare(enum ptx_type t, enum ptx_type u, const struct byte_a *a,
                                                       const u32 *b, u32 lane, u32 column, u32 c, bool half)
{
    struct tensor_dot d = {.n = 0, .kept = BYTE_KEPT};
    for (u32 k = 0; k < BYTE_K; k++) {
        const u32 w = k / 4, x = a->word[w][lane] >> 8 * (k % 4) & 0xff;
        const u32 y = b[w / 4 * IR_LANES + column * 4 + w % 4] >> 8 * (k % 4) & 0xff;
        struct tensor_term p = tensor_number(byte_format(t), x, 7), q = tensor_number(byte_format(u), y, 7);
        if (t == PTX_E4M3) {
            p.nan = (x & 0x7f) == 0x7f;
            p.infinite = false;
        }
        if (u == PTX_E4M3) {
            q.nan = (y & 0x7f) == 0x7f;
            q.infinite = false;
        }
        d.terms[d.n++] = tensor_product(p, q);
    }
    d.terms[d.n++] = tensor_given(c, half);
    const u32 bits = tensor_sum(&d, half);
    return half || bits << 1 > 0xff000000u ? bits : bits >> BYTE_CUT << BYTE_CUT; /* a NaN stays */
}

/* c += a b of a tile. */
LANE_FN void byte_block(const struct ir_wgmma *x, const struct byte_a *a, const struct byte_tile *b, const u32 *word,
                        bool half, rows_u32 *c)
{
    for (u32 n = 0; n < TILE_COLUMNS; n++) {
        const rows_u32 given = c[n];
        const rows_i32 e = byte_exponent(a, b, n, given, half);
        const u32 rare = rows_outside(e, NO_EXPONENT, EXPONENT_LOW, EXPONENT_HIGH);
        c[n] = byte_column(a, b, n, given, e, half);
        for (u32 l = 0; l < VL && rare; l++)
            if (rare >> l & 1)
                c[n][l] = byte_rare((enum ptx_type)x->a, (enum ptx_type)x->b, a, word, l, n, given[l], half);
    }
}

LANE_FN void byte_multiply(enum ptx_type t, bool half, const struct wgmma_job *j)
{
    const struct ir_wgmma *x = j->x;
    struct byte_a a;
    for (u32 rows = 0; rows < BLOCKS; rows++) {
        byte_read_a(t, j, rows, &a);
        for (u32 n = 0; n < x->n / (u32)TILE_COLUMNS; n++) {
            rows_u32 c[TILE_COLUMNS];
            group_read_c(true, half, j, n, rows, c);
            byte_block(x, &a, (const struct byte_tile *)(const void *)(j->ready + (size_t)n * WGMMA_READY),
                       (const u32 *)(const void *)(j->b + (size_t)n * WGMMA_TILE), half, c);
            write_columns(half, j->regs, x->d_slots + n * (half ? 2 : 4), rows, c);
        }
    }
}

static void group_prepare_bytes(const struct ir_wgmma *x, const u8 *b, u8 *ready)
{
    for (u32 n = 0; n < x->n / (u32)TILE_COLUMNS; n++) {
        const rows_u32 *word = (const rows_u32 *)(const void *)(b + (size_t)n * WGMMA_TILE);
        struct byte_tile *to = (struct byte_tile *)(void *)(ready + (size_t)n * WGMMA_READY);
        if (x->b == PTX_E4M3)
            byte_ready_b((enum ptx_type)x->a, PTX_E4M3, word, to);
        else
            byte_ready_b((enum ptx_type)x->a, PTX_E5M2, word, to);
    }
    CALL_OUT();
}

static void group_multiply_bytes(const struct wgmma_job *j)
{
    const bool half = j->x->d == PTX_F16;
    if (j->x->a == PTX_E4M3)
        if (half)
            byte_multiply(PTX_E4M3, true, j);
        else
            byte_multiply(PTX_E4M3, false, j);
    else if (half)
        byte_multiply(PTX_E5M2, true, j);
    else
        byte_multiply(PTX_E5M2, false, j);
    CALL_OUT();
}

#endif
