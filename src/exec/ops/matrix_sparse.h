/* matrix_sparse.h - products of a sparse A, element by element: of every four elements of a line of k (of tf32 every two, of
 * 4-bit integers every four pairs) A has two, or one, and metadata say which (PTX ISA 9.7.14.6).
 *
 * Metadata of a row are in one or two of the four lanes that have the row; which, the selector and this table say, as an H200
 * answered bit by bit. c: the element of A; v: what the bits say; k: which element of B it meets.
 *
 *     bits  lane                          bits of it                      k
 *     16    selector * k / 16 + c / 8     16 (row / 8) + 2 (c % 8)        c / 2 * 4 + v
 *     32    selector * k / 8 + c / 4      16 (row / 8) + 4 (c % 4)        2 c + v / 8
 *     8     first + 2 (c / 16) + row / 8  2 (c % 16)                      c / 2 * 4 + v
 *     4     first + 2 (c / 32) + row / 8  2 (c / 2 % 16)                  c / 4 * 8 + 2 v + c % 2
 *
 * first is 2 selector where k is the shorter of two, else 0. Elements of B that no metadata choose are not looked at. */
#ifndef LS_EXEC_OPS_MATRIX_SPARSE_H
#define LS_EXEC_OPS_MATRIX_SPARSE_H

#include "exec/ops/matrix_float.h"
#include "exec/ops/matrix_tensor.h"

/* 16 lines of A, in registers of 128 bytes, and what they meet. */
struct sparse_lines {
    enum ptx_type type;
    u32 bits, k, selector; /* k: of B */
    const u32 *a[4], *metadata;
};

enum { SPARSE_MOST = 64 };

LANE_FN u32 sparse_k(const struct sparse_lines *s, u32 row, u32 c)
{
    const u32 *m = s->metadata + row % 8 * 4, half = row / 8, first = s->k * s->bits == 256 ? 2 * s->selector : 0;
    switch (s->bits) {
    case 16:
        return c / 2 * 4 + (m[(s->selector * s->k / 16 + c / 8) & 3] >> (16 * half + 2 * (c % 8)) & 3);
    case 32:
        return 2 * c + (m[(s->selector * s->k / 8 + c / 4) & 3] >> (16 * half + 4 * (c % 4) + 3) & 1);
    case 8:
        return c / 2 * 4 + (m[(first + 2 * (c / 16) + half) & 3] >> 2 * (c % 16) & 3);
    default:
        return c / 4 * 8 + 2 * (m[(first + 2 * (c / 32) + half) & 3] >> 2 * (c / 2 % 16) & 3) + c % 2;
    }
}

/* Element `run` of a line in registers: `next` registers are one of 4 words of the line behind the other. */
LANE_FN u32 sparse_bits(const u32 *word, u32 run, u32 bits)
{
    const u32 per = 32 / bits;
    return bits == 32 ? word[run] : word[run / per] >> run % per * bits & ((1u << bits) - 1);
}

/* The elements of a row, and where each is in a column of B. */
struct sparse_row {
    u32 n, bits[SPARSE_MOST], k[SPARSE_MOST];
};
LANE_FN void sparse_read(const struct sparse_lines *s, u32 row, struct sparse_row *to)
{
    u32 words[8];
    to->n = s->k / 2;
    for (u32 w = 0; w < to->n * s->bits / 32; w++)
        words[w] = s->a[w / 4 * 2 + row / 8][row % 8 * 4 + w % 4];
    for (u32 c = 0; c < to->n; c++) {
        to->bits[c] = sparse_bits(words, c, s->bits);
        to->k[c] = sparse_k(s, row, c);
    }
}

/* ---- floats ---- */

LANE_FN struct tensor_term sparse_number(enum ptx_type t, u32 x)
{
    struct tensor_format f = t == PTX_E4M3   ? (struct tensor_format){3, 15, 7}
                             : t == PTX_E5M2 ? (struct tensor_format){2, 31, 15}
                                             : tensor_format(t);
    if (t == PTX_TF32) {
        f.fraction -= 13;
        x >>= 13;
    }
    const u32 sign = t == PTX_TF32 ? 18 : t == PTX_E4M3 || t == PTX_E5M2 ? 7 : 15;
    struct tensor_term r = tensor_number(f, x, sign);
    if (t == PTX_E4M3) {
        r.nan = (x & 0x7f) == 0x7f;
        r.infinite = false;
    }
    return r;
}

/* Products of a row and a column, upon c (as f32). */
static __attribute__((noinline, unused)) u32 sparse_sum(enum ptx_type a, enum ptx_type b, const struct sparse_row *r,
                                                        const u32 *column, u32 bits, bool negative, i32 kept, u32 c,
                                                        bool half)
{
    struct tensor_dot d = {.n = 0, .kept = kept};
    for (u32 k = 0; k < r->n; k++) {
        struct tensor_term p =
            tensor_product(sparse_number(a, r->bits[k]), sparse_number(b, sparse_bits(column, r->k[k], bits)));
        p.negative ^= negative;
        d.terms[d.n++] = p;
    }
    d.terms[d.n++] = tensor_given(c, half);
    return tensor_sum(&d, half);
}

/* An 8-bit float as f16, which is exact. */
LANE_FN u32 sparse_half(enum ptx_type t, u32 x)
{
    return t == PTX_E5M2 ? x << 8 : half_of_e4m3((rows_u32){0} + (x << 24))[0];
}

/* The same of 8-bit floats, as mma.sp has it: as f16, in two blocks of elements of A, the first upon 0; c is added last, by
 * itself. */
static __attribute__((noinline, unused)) u32 sparse_bytes(enum ptx_type a, enum ptx_type b, const struct sparse_row *r,
                                                          const u32 *column, u32 c)
{
    u32 sum = 0;
    for (u32 block = 0; block < 2; block++) {
        struct tensor_dot d = {.n = 0, .kept = KEPT};
        for (u32 k = 0; k < r->n; k++)
            if (k % 4 / 2 == block)
                d.terms[d.n++] =
                    tensor_product(sparse_number(PTX_F16, sparse_half(a, r->bits[k])),
                                   sparse_number(PTX_F16, sparse_half(b, sparse_bits(column, r->k[k], 8))));
        d.terms[d.n++] = tensor_given(sum, false);
        sum = tensor_sum(&d, false);
    }
    const f32 all = f32_of_bits(c) + f32_of_bits(sum);
    return all == all ? f32_bits(all) : F32_NAN;
}

/* ---- integers ---- */

LANE_FN i32 sparse_integer(enum ptx_type t, u32 x)
{
    return t == PTX_S8 ? (i8)x : t == PTX_S4 ? (i32)(x << 28) >> 28 : (i32)x;
}

LANE_FN u32 sparse_dot(enum ptx_type a, enum ptx_type b, const struct sparse_row *r, const u32 *column, u32 bits, u32 c,
                       bool clamp)
{
    i64 sum = 0;
    for (u32 k = 0; k < r->n; k++)
        sum += (i64)sparse_integer(a, r->bits[k]) * sparse_integer(b, sparse_bits(column, r->k[k], bits));
    sum += (i32)c;
    return !clamp ? (u32)sum : sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? (u32)INT32_MIN : (u32)sum;
}

/* ---- accumulators: of a tile of 16 x 8, as matrix_sums.h has them ---- */

LANE_FN u32 sparse_get(bool half, const u8 *regs, const u32 *slots, u32 row, u32 column)
{
    const u32 slot = slots[half ? row / 8 : row / 8 * 2 + column % 2], lane = row % 8 * 4 + column / 2;
    const u32 x = ((const u32 *)(const void *)(regs + slot))[lane];
    return half ? f32_bits(f32_of_f16((u16)(x >> 16 * (column % 2)))) : x;
}
LANE_FN void sparse_put(bool half, u8 *regs, const u32 *slots, u32 row, u32 column, u32 x)
{
    const u32 slot = slots[half ? row / 8 : row / 8 * 2 + column % 2], lane = row % 8 * 4 + column / 2;
    u32 *to = (u32 *)(void *)(regs + slot) + lane;
    const u32 shift = half ? 16 * (column % 2) : 0;
    *to = half ? (*to & ~(0xffffu << shift)) | x << shift : x;
}

/* ---- tiles of 16 x 8 ---- */

struct sparse_tile {
    struct sparse_lines lines;
    enum ptx_type b;
    bool half, adds, clamp, negative; /* half: c and d are f16; adds: to c */
    bool as_halves;                   /* 8-bit floats of mma.sp */
    i32 kept;                         /* floats: bits behind the point (matrix_tensor.h) */
    u32 cut;                          /* bits that an f32 result loses */
};

LANE_FN bool sparse_is_float(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16 || t == PTX_TF32 || t == PTX_E4M3 || t == PTX_E5M2;
}

LANE_FN u32 sparse_element(const struct sparse_tile *t, const struct sparse_row *r, const u32 *column, u32 c)
{
    const struct sparse_lines *s = &t->lines;
    if (!sparse_is_float(s->type))
        return sparse_dot(s->type, t->b, r, column, s->bits, c, t->clamp);
    if (t->as_halves)
        return sparse_bytes(s->type, t->b, r, column, c);
    const u32 x = sparse_sum(s->type, t->b, r, column, s->bits, t->negative, t->kept, c, t->half);
    return t->half || x << 1 > 0xff000000u ? x : x >> t->cut << t->cut; /* a NaN stays */
}

/* b: registers of a column's words; c and d: the tile's slots. */
static __attribute__((noinline, unused)) void sparse_multiply(const struct sparse_tile *t, const u32 *const *b,
                                                              const u8 *from, const u32 *c, u8 *to, const u32 *d)
{
    const u32 words = t->lines.k * t->lines.bits / 32;
    struct sparse_row r;
    for (u32 row = 0; row < BAND; row++) {
        sparse_read(&t->lines, row, &r);
        for (u32 n = 0; n < TILE_COLUMNS; n++) {
            u32 column[16];
            for (u32 w = 0; w < words; w++)
                column[w] = b[w / 4][n * 4 + w % 4];
            const u32 given = t->adds ? sparse_get(t->half, from, c, row, n) : 0;
            sparse_put(t->half, to, d, row, n, sparse_element(t, &r, column, given));
        }
    }
}

/* mma.sp. The result goes by way of other memory: any of its registers may be an operand's. */
static __attribute__((noinline, unused)) void multiply_sparse(const struct ir_matrix *x, u8 *regs)
{
    u8 result[MATRIX_SLOTS * REGISTER] __attribute__((aligned(64)));
    u32 slots[MATRIX_SLOTS];
    const u32 *b[4];
    struct sparse_tile t = {
        .b = (enum ptx_type)x->b.type, .half = x->d.type == PTX_F16, .adds = true, .clamp = x->satfinite, .kept = KEPT};
    t.lines = (struct sparse_lines){.type = (enum ptx_type)x->a.type,
                                    .bits = x->a.bits,
                                    .k = x->k,
                                    .selector = x->selector,
                                    .metadata = (const u32 *)(const void *)(regs + x->metadata)};
    t.as_halves = sparse_is_float(t.lines.type) && x->a.bits == 8;
    for (u32 k = 0; k < x->a.units; k++)
        t.lines.a[k] = (const u32 *)(const void *)(regs + x->a.slots[k]);
    for (u32 k = 0; k < x->b.units; k++)
        b[k] = (const u32 *)(const void *)(regs + x->b.slots[k]);
    for (u32 k = 0; k < x->d.nslots; k++) {
        slots[k] = k * REGISTER;
        memcpy(result + slots[k], regs + x->c.slots[k], REGISTER);
    }
    sparse_multiply(&t, b, regs, x->c.slots, result, slots);
    for (u32 k = 0; k < x->d.nslots; k++)
        memcpy(regs + x->d.slots[k], result + slots[k], REGISTER);
}

#endif
