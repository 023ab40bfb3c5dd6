/* matrix_sums.h - products of matrices of floats, of 8 to 32 bits an element: what matrix_float.h says they are.
 *
 * A is brought into vectors of one lane a row (matrix_rows.h), one for each k; an element of B is one number, which meets
 * a whole column of A. So an element of the result stays in one lane of one vector until it is rounded.
 *
 * There are two ways. In f64, as it is defined. In f32, with twice the lanes: where no product and no sum of the chain was
 * rounded, every sum in f64 would be the same number, and then so is the result. Whether something was rounded the
 * processor says (MXCSR, the inexact flag), so nothing is lost by asking but the time of the attempt; an instruction
 * whose sums were rounded a few times is not tried again. An f32 accumulator is then added in f32: of two f32 numbers the
 * sum, rounded to f64 and then to f32, is the sum rounded to f32, since 53 >= 2 * 24 + 2 (Figueroa, 1995). */
#ifndef LS_EXEC_OPS_MATRIX_SUMS_H
#define LS_EXEC_OPS_MATRIX_SUMS_H

#include "exec/ops/matrix_float.h"

/* The largest: m16n16k16 and m16n8k32. */
enum { FLOAT_B = 256 };

/* ---- sums in f32 ---- */

#if defined(__SSE2__)
/* MXCSR: the flag; and what must be off, subnormals as zeros and other ways to round. */
enum { MOST_ROUNDED = 8, INEXACT = 0x20, UNUSUAL = 0xe040 };

LANE_FN void exact_read_b(enum ptx_type t, u32 per, const struct ir_matrix *x, const u8 *regs, rows_f32 *to)
{
    for (u32 u = 0; u < x->b.units; u++) {
        const rows_u32 *v = (const rows_u32 *)(const void *)(regs + x->b.slots[u]);
        for (u32 i = 0; i < per; i++)
            for (u32 e = 0; e < IR_LANES / VL; e++)
                *to++ = rows_element(t, v[e], i);
    }
}

/* sum[s][j] = a block of A, of which slots are the registers, times column 2 j + s of B. */
LANE_FN void exact_product(struct float_form form, u32 groups, const u8 *regs, const u32 *slots, u32 block,
                           const f32 *b, rows_f32 (*sum)[4])
{
    rows_f32 t[2][4] = {{{0}}};
    for (u32 g = 0; g < groups; g++, b += form.per * IR_LANES) {
        rows_u32 v[4];
        rows_read(regs + slots[2 * g], regs + slots[2 * g + 1], block, v);
        for (u32 q = 0; q < 4; q++)
            for (u32 i = 0; i < form.per; i++) {
                const rows_f32 a = rows_element(form.a, v[q], i);
                for (u32 c = 0; c < 8; c++)
                    t[c % 2][c / 2] = rows_fma(a, b[i * IR_LANES + c * 4 + q], t[c % 2][c / 2]);
            }
    }
    for (u32 c = 0; c < 8; c++)
        sum[c % 2][c / 2] = t[c % 2][c / 2];
}

/* The flag is put down before b is read; and it is read when all sums are there. */
LANE_FN const f32 *exact_begin(u32 csr, const f32 *b)
{
    __asm__ volatile("ldmxcsr %1" : "+r"(b) : "m"(csr) : "memory");
    return b;
}
LANE_FN bool exact_end(rows_f32 (*s)[4])
{
    u32 csr;
    __asm__ volatile("stmxcsr %0"
                     : "=m"(csr), "+v"(s[0][0]), "+v"(s[0][1]), "+v"(s[0][2]), "+v"(s[0][3]), "+v"(s[1][0]),
                       "+v"(s[1][1]), "+v"(s[1][2]), "+v"(s[1][3]));
    return !(csr & (INEXACT | UNUSUAL));
}

LANE_FN void exact_put(struct float_form form, const struct ir_matrix *x, u32 n, const u8 *from, u8 *to, u32 block,
                       rows_f32 (*sum)[4])
{
    const u32 *c = x->c.slots + n * (form.half_c ? 2 : 4), *d = x->d.slots + n * (form.half_d ? 2 : 4);
    rows_u32 words[4] = {{0}};
    for (u32 s = 0; s < 2; s++) {
        if (form.half_c || form.half_d) {
            struct rows_f64 wide[4];
            for (u32 j = 0; j < 4; j++)
                wide[j] = rows_widen(sum[s][j]);
            add_accumulator(form.half_c, from, c, block, s, wide);
            put_side(form, to, d, block, s, wide, words);
        } else {
            rows_u32 v[4];
            rows_read(from + c[s], from + c[2 + s], block, v);
            for (u32 j = 0; j < 4; j++) {
                const rows_f32 r = sum[s][j] + (rows_f32)v[j];
                v[j] = rows_or_nan(r, (rows_u32)r, F32_NAN);
            }
            rows_write(to + d[s], to + d[2 + s], block, v);
        }
    }
}

/* Blocks by bands, then tile by tile; how many are done. */
LANE_FN u32 exact_tiles(struct float_form form, const struct ir_matrix *x, const f32 *b, const u8 *from, u8 *to)
{
    const u32 columns = x->n / 8, groups = x->k / (4 * form.per), all = x->m / BAND * BLOCKS * columns;
    const u32 csr = _mm_getcsr() & ~(u32)INEXACT;
    for (u32 at = 0; at < all; at++) {
        const u32 band = at / columns / BLOCKS, block = at / columns % BLOCKS, column = at % columns;
        rows_f32 sum[2][4];
        exact_product(form, groups, from, x->a.slots + 2 * band * groups, block,
                      exact_begin(csr, b) + column * x->k * 8, sum);
        if (!exact_end(sum))
            return at;
        exact_put(form, x, band * columns + column, from, to, block, sum);
    }
    return all;
}
#endif

/* ---- sums in f64 ---- */

/* B: of each unit the elements 0 of all words, then the elements 1, and so on. The type is a constant, which the caller's
 * switch makes. */
LANE_FN void read_b(enum ptx_type t, u32 per, const struct ir_matrix *x, const u8 *regs, struct rows_f64 *to)
{
    for (u32 u = 0; u < x->b.units; u++) {
        const rows_u32 *v = (const rows_u32 *)(const void *)(regs + x->b.slots[u]);
        for (u32 i = 0; i < per; i++)
            for (u32 e = 0; e < IR_LANES / VL; e++)
                *to++ = rows_widen(rows_element(t, v[e], i));
    }
}

/* The even columns of a tile of the accumulators are in one register, the odd ones in another: a *side* is one of the
 * two. Where there are registers for it both are added up side by side, and an element of A is made when it is met;
 * elsewhere A is made ready first, for it is met again. */
#if defined(__AVX512F__)
enum { SIDES = 2, READY = 1 };
#else
enum { SIDES = 1, READY = 32 };
#endif

/* A block of A of which slots are the registers. */
struct block_a {
    const u8 *regs;
    const u32 *slots;
    u32 block;
    struct rows_f64 ready[READY]; /* for each k */
};

LANE_FN void read_group(struct float_form form, const struct block_a *a, u32 g, struct rows_f64 *to)
{
    rows_u32 v[4];
    rows_read(a->regs + a->slots[2 * g], a->regs + a->slots[2 * g + 1], a->block, v);
    for (u32 q = 0; q < 4; q++)
        for (u32 i = 0; i < form.per; i++)
            *to++ = rows_widen(rows_element(form.a, v[q], i));
}

LANE_FN void make_ready(struct float_form form, u32 groups, struct block_a *a)
{
    for (u32 g = 0; g < groups && READY > 1; g++)
        read_group(form, a, g, a->ready + g * 4 * form.per);
}

/* sum[s][j] += a times column 2 j + s of B, for one k. */
LANE_FN void add_product(const struct rows_f64 *a, const f64 *b, struct rows_f64 (*sum)[4])
{
    for (u32 s = 0; s < SIDES; s++)
        for (u32 j = 0; j < 4; j++) {
            const f64 y = b[(2 * j + s) * 4];
            sum[s][j].first = half_fma(a->first, y, sum[s][j].first);
            sum[s][j].second = half_fma(a->second, y, sum[s][j].second);
        }
}

/* sum[s][j] = a times column 2 j + s of B; b is moved for the other side. */
LANE_FN void product(struct float_form form, u32 groups, const struct block_a *a, const f64 *b,
                     struct rows_f64 (*sum)[4])
{
    struct rows_f64 t[SIDES][4] = {{{{0}, {0}}}};
    for (u32 g = 0; g < groups; g++, b += form.per * IR_LANES) {
        struct rows_f64 now[16];
        const struct rows_f64 *k = READY > 1 ? a->ready + g * 4 * form.per : now;
        if (READY == 1)
            read_group(form, a, g, now);
        for (u32 q = 0; q < 4; q++)
            for (u32 i = 0; i < form.per; i++)
                add_product(k++, b + i * IR_LANES + q, t);
    }
    for (u32 s = 0; s < SIDES; s++)
        for (u32 j = 0; j < 4; j++)
            sum[s][j] = t[s][j];
}

/* A block of tile n of the result. Tiles follow each other along the columns, then by bands. */
LANE_FN void float_tile(struct float_form form, const struct ir_matrix *x, u32 n, const struct block_a *a, const f64 *b,
                        u8 *to)
{
    const u32 *c = x->c.slots + n * (form.half_c ? 2 : 4), *d = x->d.slots + n * (form.half_d ? 2 : 4);
    rows_u32 words[4] = {{0}};
    for (u32 at = 0; at < 2; at += SIDES) {
        struct rows_f64 sum[SIDES][4];
        product(form, x->k / (4 * form.per), a, b + 4 * at, sum);
        for (u32 s = 0; s < SIDES; s++) {
            add_accumulator(form.half_c, a->regs, c, a->block, at + s, sum[s]);
            put_side(form, to, d, a->block, at + s, sum[s], words);
        }
    }
}

/* The tiles from `done` on, in the order of exact_tiles. */
LANE_FN void float_tiles(struct float_form form, const struct ir_matrix *x, const f64 *b, const u8 *from, u8 *to,
                         u32 done)
{
    const u32 bands = x->m / BAND, columns = x->n / 8, groups = x->k / (4 * form.per);
    for (u32 at = done / columns; at < bands * BLOCKS; at++) {
        const u32 band = at / BLOCKS;
        struct block_a a;
        a.regs = from;
        a.slots = x->a.slots + 2 * band * groups;
        a.block = at % BLOCKS;
        make_ready(form, groups, &a);
        for (u32 n = 0; n < columns; n++)
            if (at * columns + n >= done)
                float_tile(form, x, band * columns + n, &a, b + n * x->k * 8, to);
    }
}

/* ---- both ---- */

/* Of 8-bit floats, B's type need not be A's. */
#define READ_B(read, ...)                                                                                              \
    do {                                                                                                               \
        if (form.per != 4)                                                                                             \
            read(form.a, form.per, __VA_ARGS__);                                                                       \
        else if (x->b.type == PTX_E4M3)                                                                                \
            read(PTX_E4M3, 4, __VA_ARGS__);                                                                            \
        else                                                                                                           \
            read(PTX_E5M2, 4, __VA_ARGS__);                                                                            \
    } while (0)

/* How many tiles are done. */
LANE_FN u32 try_exact(struct float_form form, const struct ir_matrix *x, const u8 *from, u8 *to)
{
    u32 done = 0;
#if defined(__SSE2__)
    const u8 rounded = __atomic_load_n(x->rounded, __ATOMIC_RELAXED);
    if (rounded < MOST_ROUNDED) {
        rows_f32 b[FLOAT_B / VL];
        READ_B(exact_read_b, x, from, b);
        done = exact_tiles(form, x, (const f32 *)(const void *)b, from, to);
        if (done < x->m / BAND * BLOCKS * (x->n / 8))
            __atomic_store_n(x->rounded, rounded + 1, __ATOMIC_RELAXED);
    }
#endif
    return done;
}

LANE_FN void multiply_form(struct float_form form, const struct ir_matrix *x, const u8 *from, u8 *to)
{
    struct rows_f64 b[FLOAT_B / VL];
    const u32 done = try_exact(form, x, from, to);
    if (done == x->m / BAND * BLOCKS * (x->n / 8))
        return;
    READ_B(read_b, x, from, b);
    float_tiles(form, x, (const f64 *)(const void *)b, from, to, done);
}

/* Accumulators of f16 go with f16 and with 8-bit floats; the code of the latter asks as it goes. */
static void multiply_floats_to(const struct ir_matrix *x, const u8 *from, u8 *to)
{
#define FORM(...) multiply_form((struct float_form){__VA_ARGS__}, x, from, to)
    const bool half_c = x->c.type == PTX_F16, half_d = x->d.type == PTX_F16;
    if (x->a.type == PTX_BF16)
        FORM(PTX_BF16, 2, false, false, false);
    else if (x->a.type == PTX_E4M3)
        FORM(PTX_E4M3, 4, half_c, half_d, x->twice);
    else if (x->a.type == PTX_E5M2)
        FORM(PTX_E5M2, 4, half_c, half_d, x->twice);
    else if (x->a.type != PTX_F16)
        FORM(PTX_TF32, 1, false, false, false);
    else if (half_c && half_d)
        FORM(PTX_F16, 2, true, true, false);
    else if (half_c)
        FORM(PTX_F16, 2, true, false, false);
    else if (half_d)
        FORM(PTX_F16, 2, false, true, true);
    else
        FORM(PTX_F16, 2, false, false, false);
#undef FORM
}

MEM_SLOW void multiply_floats(const struct ir_matrix *x, u8 *regs)
{
    if (x->apart)
        multiply_apart(x, regs, multiply_floats_to);
    else
        multiply_floats_to(x, regs, regs);
}

#endif
