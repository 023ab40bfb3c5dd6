/* matrix_sums.h - products of matrices of floats, of 8 to 32 bits an element (f64: matrix_f64.h): the machine instructions
 * that ptxas (CUDA 13.0) makes of them for sm_90, each of them what matrix_tensor.h says.
 *
 * One a tile of 16 x 8, over all of k, but: wmma of tf32 is two one behind the other, of 4 k each. 8-bit floats become f16,
 * without loss; the lower halves of all registers are multiplied, then the upper ones, beginning with 0, and the
 * accumulator is added last, by itself. An f16 accumulator of an f32 result becomes f32 first; an f16 result of an f32
 * accumulator is rounded once more.
 *
 * A is brought into vectors of one lane a row (matrix_rows.h); an element of B is one number, which meets a whole column of
 * A. So an element of the result stays in one lane of one vector. */
#ifndef LS_EXEC_OPS_MATRIX_SUMS_H
#define LS_EXEC_OPS_MATRIX_SUMS_H

#include "exec/ops/matrix_tensor.h"

/* The machine instructions of a tile; columns of tiles. */
enum { MOST_BLOCKS = 2, MOST_COLUMNS = 2 };

/* What a function is made for: constants, but for the types of 8-bit floats. */
struct float_form {
    enum ptx_type type, a, b; /* as multiplied; in the registers */
    u32 words, blocks;        /* words of A in a block; blocks */
    bool bytes, half;         /* of 8-bit floats; blocks add to f16 */
    bool half_c, half_d;      /* accumulators and results are f16 */
    bool one;                 /* the product is one tile */
};

/* ---- operands ---- */

LANE_FN u32 per_word(struct float_form f) { return f.type == PTX_TF32 ? 1 : 2; }

/* The registers of a block of A or B: a part of the operand's, but of 8-bit floats, which give both blocks. */
LANE_FN const u32 *block_slots(struct float_form f, const u32 *slots, u32 registers, u32 block)
{
    return f.bytes ? slots : slots + block * registers;
}

LANE_FN void read_b(struct float_form f, const u8 *regs, const u32 *slots, u32 block, rows_u32 *word)
{
    for (u32 r = 0; r < f.words / 4; r++)
        for (u32 e = 0; e < REGISTER_VECTORS; e++) {
            const rows_u32 x = ((const rows_u32 *)(const void *)(regs + slots[r]))[e];
            word[r * REGISTER_VECTORS + e] = f.bytes ? halves_of_bytes(f.b, x, block) : x;
        }
}

LANE_FN void read_a(struct float_form f, const u8 *regs, const u32 *slots, u32 rows, u32 block, rows_u32 *word)
{
    for (u32 g = 0; g < f.words / 4; g++) {
        rows_read(regs + slots[2 * g], regs + slots[2 * g + 1], rows, word + g * 4);
        for (u32 q = g * 4; q < g * 4 + 4 && f.bytes; q++)
            word[q] = halves_of_bytes(f.a, word[q], block);
    }
}

/* ---- operands that are kept ----
 *
 * A kernel multiplies a fragment of A with several of B and the other way round. What was made of the last ones stays with the
 * thread, beside the registers it was made of: if they are the same again, so is what they would become. What products near 0
 * need is made when one of two operands comes again: for one product it is not worth it. Nor is keeping, where
 * nothing comes again: after PATIENCE such products it is left out of PAUSE, and tried again with TRIAL. */
enum { PATIENCE = 16, TRIAL = 4, PAUSE = 60 };
enum { KEPT_A = 4, KEPT_B = 8, KEPT_A_VECTORS = 2 * TENSOR_REGISTERS * REGISTER_VECTORS };

struct kept_a {
    rows_u32 given[KEPT_A_VECTORS];
    struct tensor_a any[BLOCKS];
    struct near_a near[BLOCKS];
    u32 form;               /* 0: nothing is kept */
    bool known;             /* it was there when it was last asked for */
    bool has_any, has_near; /* what is made of it */
    u32 block;
};
struct kept_b {
    rows_u32 given[TENSOR_REGISTERS * REGISTER_VECTORS], word[TENSOR_REGISTERS * REGISTER_VECTORS];
    struct tensor_b any;
    struct near_b near;
    u32 form;
    bool known, has_any, has_near;
};
struct float_kept {
    struct kept_a a[KEPT_A];
    struct kept_b b[KEPT_B];
    u32 alone; /* products in a row of which no operand was known, or which nobody asked about */
};

/* The thread's. Asked for once a product: it may be a call, and a compiler that knew what this is would call again. */
LANE_FN struct float_kept *float_kept(void)
{
    static _Thread_local struct float_kept all;
    struct float_kept *kept = &all;
    __asm__("" : "+r"(kept));
    return kept;
}

LANE_FN u32 kept_form(struct float_form f, enum ptx_type registers, u32 block)
{
    return 1 | (u32)f.type << 8 | (u32)registers << 16 | f.words << 24 | block << 30;
}

/* Whether registers are what they were; now they are. */
LANE_FN bool kept_same(const u8 *regs, const u32 *slots, u32 registers, rows_u32 *given)
{
    rows_u32 other = {0};
    for (u32 r = 0; r < registers; r++)
        for (u32 e = 0; e < REGISTER_VECTORS; e++)
            other |= ((const rows_u32 *)(const void *)(regs + slots[r]))[e] ^ given[r * REGISTER_VECTORS + e];
    if (LS_LIKELY(!rows_differ(other, (rows_u32){0})))
        return true;
    for (u32 r = 0; r < registers; r++)
        memcpy(given + r * REGISTER_VECTORS, regs + slots[r], REGISTER);
    return false;
}

/* first: the operand's first register; those that one product needs are kept beside each other. */
LANE_FN struct kept_a *read_block_a(struct float_form f, struct float_kept *kept, const u8 *regs, const u32 *slots,
                                    u32 block)
{
    const u32 registers = f.words / 2, *from = block_slots(f, slots, registers, block);
    struct kept_a *a = &kept->a[(slots[0] / REGISTER / registers + block) % KEPT_A];
    const u32 form = kept_form(f, f.a, block);
    a->known = kept_same(regs, from, registers, a->given) && a->form == form;
    if (a->known)
        return a;
    a->form = form;
    a->block = block;
    a->has_any = a->has_near = false;
    return a;
}
LANE_FN struct kept_b *read_block_b(struct float_form f, struct float_kept *kept, const u8 *regs, const u32 *slots,
                                    u32 first, u32 column, u32 block)
{
    const u32 registers = f.words / 4, *from = block_slots(f, slots, registers, block);
    struct kept_b *b = &kept->b[(first / REGISTER / registers + column * f.blocks + block) % KEPT_B];
    const u32 form = kept_form(f, f.b, block);
    b->known = kept_same(regs, from, registers, b->given) && b->form == form;
    if (b->known)
        return b;
    read_b(f, regs, from, block, b->word);
    b->form = form;
    b->has_any = b->has_near = false;
    return b;
}

/* Whether the next product's operands are to be looked for. */
LANE_FN bool keeps_operands(struct float_kept *kept)
{
    if (kept->alone < PATIENCE)
        return true;
    if (kept->alone++ < PATIENCE + PAUSE)
        return false;
    kept->alone = PATIENCE - TRIAL;
    return true;
}

/* What other products need. */
LANE_FN void keep_any(struct float_form f, struct kept_a *a, struct kept_b *b)
{
    static const u32 slots[] = {0, REGISTER, 2 * REGISTER, 3 * REGISTER};
    for (u32 rows = 0; rows < BLOCKS && !a->has_any; rows++) {
        read_a(f, (const u8 *)a->given, slots, rows, a->block, a->any[rows].word);
        tensor_any_a(f.type, per_word(f), f.words, &a->any[rows]);
    }
    if (!b->has_any)
        tensor_any_b(f.type, per_word(f), f.words / 4, b->word, &b->any);
    a->has_any = b->has_any = true;
}

/* Makes what a product of operands near 0 needs, of which one was known. */
LANE_FN void keep_near(struct float_form f, struct float_kept *kept, struct kept_a *a, struct kept_b *b)
{
    if (!a->known && !b->known) {
        kept->alone++;
        return;
    }
    kept->alone = 0;
    if (!NEAR_FLOORS)
        keep_any(f, a, b);
    for (u32 rows = 0; rows < BLOCKS && !a->has_near; rows++) {
        rows_u32 word[TENSOR_WORDS];
        for (u32 w = 0; w < f.words && NEAR_FLOORS; w++) {
            const rows_u32 x = a->given[(w / 4 * BLOCKS + rows) * 4 + w % 4];
            word[w] = f.bytes ? halves_of_bytes(f.a, x, a->block) : x;
        }
        tensor_near_a(f.type, f.words, NEAR_FLOORS ? word : a->any[rows].word, &a->near[rows]);
    }
    if (!b->has_near)
        tensor_near_b(f.type, f.words / 4, b->word, &b->near);
    a->has_near = b->has_near = true;
}

/* ---- accumulators ---- */

/* The eight columns of a tile. f32: four registers, the even and the odd columns of lines 0 to 7, then those of the lines
 * below; f16: two, each with both. */
LANE_FN void read_columns(bool half, const u8 *regs, const u32 *slots, u32 rows, rows_u32 *c)
{
    rows_u32 v[4];
    for (u32 side = 0; side < 2; side++) {
        if (!half || !side)
            rows_read(regs + slots[side], regs + slots[half ? 1 : 2 + side], rows, v);
        for (u32 j = 0; j < 4; j++)
            c[2 * j + side] = v[j] >> (half ? 16 * side : 0) & (half ? 0xffff : ~0u);
    }
}
LANE_FN void write_columns(bool half, u8 *regs, const u32 *slots, u32 rows, const rows_u32 *c)
{
    for (u32 side = 0; side < (half ? 1 : 2); side++) {
        rows_u32 v[4];
        for (u32 j = 0; j < 4; j++)
            v[j] = half ? (rows_u32)(c[2 * j] | c[2 * j + 1] << 16) : c[2 * j + side];
        rows_write(regs + slots[side], regs + slots[half ? 1 : 2 + side], rows, v);
    }
}

/* The same as lines, which is how the registers have them: matrix_floors.h. */
LANE_FN void read_as_is(bool half, const u8 *regs, const u32 *slots, u32 rows, rows_u32 *c)
{
    for (u32 v = 0; v < TILE_COLUMNS; v++) {
        const u8 *up = regs + slots[half ? 0 : v % 2], *down = regs + slots[half ? 1 : 2 + v % 2];
        const rows_u32 x = *(const rows_u32 *)(const void *)rows_at((u8 *)up, (u8 *)down, rows, v / 2);
        c[v] = x >> (half ? 16 * (v % 2) : 0) & (half ? 0xffff : ~0u);
    }
}
LANE_FN void write_as_is(bool half, u8 *regs, const u32 *slots, u32 rows, const rows_u32 *c)
{
    for (u32 v = 0; v < TILE_COLUMNS; v += half ? 2 : 1) {
        u8 *up = regs + slots[half ? 0 : v % 2], *down = regs + slots[half ? 1 : 2 + v % 2];
        *(rows_u32 *)(void *)rows_at(up, down, rows, v / 2) = half ? (rows_u32)(c[v] | c[v + 1] << 16) : c[v];
    }
}

/* As tensor_block wants them, or tensor_block_any. */
LANE_FN void read_tile(bool any, bool half, const u8 *regs, const u32 *slots, u32 rows, rows_u32 *c)
{
    if (NEAR_FLOORS && !any)
        read_as_is(half, regs, slots, rows, c);
    else
        read_columns(half, regs, slots, rows, c);
}
LANE_FN void write_tile(bool any, bool half, u8 *regs, const u32 *slots, u32 rows, const rows_u32 *c)
{
    if (NEAR_FLOORS && !any)
        write_as_is(half, regs, slots, rows, c);
    else
        write_columns(half, regs, slots, rows, c);
}

/* ---- tiles ---- */

/* c += a b of operands that are kept; and of others. */
LANE_FN void kept_block(struct float_form f, struct kept_a *a, struct kept_b *b, u32 rows, rows_u32 *c)
{
    const struct tensor_near x = {&a->near[rows], &b->near, &a->any[rows], &b->any};
    if (a->has_near && b->has_near && tensor_is_near(x.near_a, x.near_b) &&
        LS_LIKELY(tensor_block_near(per_word(f), f.words, &x, f.half, c)))
        return;
    keep_any(f, a, b);
    tensor_block_far(f.type, f.words, x.a, x.b, (const u32 *)(const void *)b->word, f.half, c);
}
struct once {
    const struct tensor_a *a;
    const struct tensor_b *b;
    const rows_u32 *word;
};
LANE_FN void once_block(struct float_form f, const struct once *x, rows_u32 *c)
{
    tensor_block_any(f.type, per_word(f), f.words, x->a, x->b, (const u32 *)(const void *)x->word, f.half, c);
}

/* Some rows of tile n of the result. Tiles follow each other along the columns, then by bands. a, b: a block's each; NULL, and
 * they are not kept. */
LANE_FN void float_tile(struct float_form f, const struct ir_matrix *x, u32 n, struct kept_a **a, struct kept_b **b,
                        const struct once *once, const u8 *from, u8 *to, u32 rows)
{
    rows_u32 given[TILE_COLUMNS], c[TILE_COLUMNS];
    read_tile(once, f.half_c, from, x->c.slots + n * (f.half_c ? 2 : 4), rows, given);
    for (u32 j = 0; j < TILE_COLUMNS; j++)
        c[j] = f.bytes ? (rows_u32){0} : given[j];
    for (u32 k = 0; k < f.blocks; k++) {
        for (u32 j = 0; j < TILE_COLUMNS && f.half_c && (f.half || !f.bytes); j++)
            c[j] = (rows_u32)rows_element(PTX_F16, c[j], 0);
        if (once)
            once_block(f, &once[k], c);
        else
            kept_block(f, a[k], b[k], rows, c);
    }
    for (u32 j = 0; j < TILE_COLUMNS; j++)
        if (f.bytes)
            c[j] = rows_plain_sum(c[j], given[j], f.half);
        else if (f.half_d && !f.half)
            c[j] = rows_f16_nearest((rows_f32)c[j]);
    write_tile(once, f.half_d, to, x->d.slots + n * (f.half_d ? 2 : 4), rows, c);
}

/* Registers of B in a column of tiles; of A in a band they are twice as many. */
LANE_FN u32 column_registers(struct float_form f) { return (f.bytes ? 1 : f.blocks) * f.words / 4; }

LANE_FN void multiply_kept(struct float_form f, struct float_kept *kept, const struct ir_matrix *x, const u8 *from,
                           u8 *to)
{
    const u32 bands = f.one ? 1 : x->m / BAND, columns = f.one ? 1 : x->n / 8, groups = column_registers(f);
    struct kept_b *b[MOST_COLUMNS * MOST_BLOCKS];
    struct kept_a *a[MOST_BLOCKS];
    for (u32 n = 0; n < columns; n++)
        for (u32 k = 0; k < f.blocks; k++)
            b[n * f.blocks + k] = read_block_b(f, kept, from, x->b.slots + n * groups, x->b.slots[0], n, k);
    for (u32 band = 0; band < bands; band++) {
        for (u32 k = 0; k < f.blocks; k++)
            a[k] = read_block_a(f, kept, from, x->a.slots + 2 * band * groups, k);
        for (u32 n = 0; n < columns * f.blocks; n++)
            keep_near(f, kept, a[n % f.blocks], b[n]);
        for (u32 rows = 0; rows < BLOCKS; rows++)
            for (u32 n = 0; n < columns; n++)
                float_tile(f, x, band * columns + n, a, b + n * f.blocks, NULL, from, to, rows);
    }
}

LANE_FN void multiply_once(struct float_form f, const struct ir_matrix *x, const u8 *from, u8 *to)
{
    const u32 bands = f.one ? 1 : x->m / BAND, columns = f.one ? 1 : x->n / 8, groups = column_registers(f);
    rows_u32 word[MOST_COLUMNS * MOST_BLOCKS][TENSOR_REGISTERS * REGISTER_VECTORS];
    struct tensor_b b[MOST_COLUMNS * MOST_BLOCKS];
    struct tensor_a a[MOST_BLOCKS];
    for (u32 n = 0; n < columns * f.blocks; n++) {
        const u32 *slots = block_slots(f, x->b.slots + n / f.blocks * groups, f.words / 4, n % f.blocks);
        read_b(f, from, slots, n % f.blocks, word[n]);
        tensor_any_b(f.type, per_word(f), f.words / 4, word[n], &b[n]);
    }
    for (u32 at = 0; at < bands * BLOCKS; at++) {
        const u32 band = at / BLOCKS, rows = at % BLOCKS;
        for (u32 k = 0; k < f.blocks; k++) {
            const u32 *slots = block_slots(f, x->a.slots + 2 * band * groups, f.words / 2, k);
            read_a(f, from, slots, rows, k, a[k].word);
            tensor_any_a(f.type, per_word(f), f.words, &a[k]);
        }
        for (u32 n = 0; n < columns; n++) {
            struct once once[MOST_BLOCKS];
            for (u32 k = 0; k < f.blocks; k++)
                once[k] = (struct once){&a[k], &b[n * f.blocks + k], word[n * f.blocks + k]};
            float_tile(f, x, band * columns + n, NULL, NULL, once, from, to, rows);
        }
    }
}

LANE_FN void multiply_form(struct float_form f, const struct ir_matrix *x, const u8 *from, u8 *to)
{
    struct float_kept *kept = float_kept();
    if (keeps_operands(kept))
        multiply_kept(f, kept, x, from, to);
    else
        multiply_once(f, x, from, to);
}

/* ---- instructions ---- */

/* The only tf32 product of 16 columns is wmma's. */
static void multiply_floats_to(const struct ir_matrix *x, const u8 *from, u8 *to)
{
#define FORM(as, words, blocks, bytes, half, ...)                                                                      \
    multiply_form((struct float_form){as, x->a.type, x->b.type, words, blocks, bytes, half, __VA_ARGS__}, x, from, to)
    const bool half_c = x->c.type == PTX_F16, half_d = x->d.type == PTX_F16, half = half_c && half_d;
    const bool long_k = x->k == 16, one = x->m == BAND && x->n == TILE_COLUMNS;
    if (x->a.type == PTX_TF32)
        if (x->n == 16)
            FORM(PTX_TF32, 4, 2, false, false, false, false, false);
        else if (x->k == 8)
            FORM(PTX_TF32, 8, 1, false, false, false, false, false);
        else
            FORM(PTX_TF32, 4, 1, false, false, false, false, false);
    else if (x->a.type == PTX_BF16)
        if (long_k && one)
            FORM(PTX_BF16, 8, 1, false, false, false, false, true);
        else if (long_k)
            FORM(PTX_BF16, 8, 1, false, false, false, false, false);
        else
            FORM(PTX_BF16, 4, 1, false, false, false, false, false);
    else if (x->a.type != PTX_F16)
        if (half)
            FORM(PTX_F16, x->k / 4, 2, true, true, true, true, false);
        else
            FORM(PTX_F16, x->k / 4, 2, true, false, false, false, false);
    else if (half)
        if (long_k && one)
            FORM(PTX_F16, 8, 1, false, true, true, true, true);
        else if (long_k)
            FORM(PTX_F16, 8, 1, false, true, true, true, false);
        else
            FORM(PTX_F16, 4, 1, false, true, true, true, false);
    else if (half_c || half_d)
        FORM(PTX_F16, x->k / 2, 1, false, false, half_c, half_d, false);
    else if (long_k && one)
        FORM(PTX_F16, 8, 1, false, false, false, false, true);
    else if (long_k)
        FORM(PTX_F16, 8, 1, false, false, false, false, false);
    else
        FORM(PTX_F16, 4, 1, false, false, false, false, false);
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
