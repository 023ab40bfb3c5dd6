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

/* The machine instructions of a tile; vectors of a register, registers of B in one of them; columns of tiles. */
enum { MOST_BLOCKS = 2, REGISTER_VECTORS = IR_LANES / VL, MOST_REGISTERS = TENSOR_WORDS / 4, MOST_COLUMNS = 2 };

/* What a function is made for: constants, but for the types of 8-bit floats. */
struct float_form {
    enum ptx_type type, a, b; /* as multiplied; in the registers */
    u32 words, blocks;        /* words of A in a block; blocks */
    bool bytes, half;         /* of 8-bit floats; blocks add to f16 */
    bool half_c, half_d;      /* accumulators and results are f16 */
};

/* ---- operands ---- */

struct ready_b {
    rows_u32 word[MOST_REGISTERS * REGISTER_VECTORS], exponent[MOST_REGISTERS * REGISTER_VECTORS];
    rows_f32 value[2 * MOST_REGISTERS * REGISTER_VECTORS];
};

LANE_FN u32 per_word(struct float_form f) { return f.type == PTX_TF32 ? 1 : 2; }

/* A block of the column of tiles of which slots are the registers. */
LANE_FN void read_block_b(struct float_form f, const u8 *regs, const u32 *slots, u32 block, struct ready_b *to)
{
    const u32 registers = f.words / 4;
    for (u32 r = 0; r < registers; r++) {
        const rows_u32 *from = (const rows_u32 *)(const void *)(regs + slots[f.bytes ? r : block * registers + r]);
        for (u32 e = 0; e < REGISTER_VECTORS; e++)
            to->word[r * REGISTER_VECTORS + e] = f.bytes ? halves_of_bytes(f.b, from[e], block) : from[e];
    }
    tensor_ready_b(f.type, per_word(f), registers, to->word, to->exponent, to->value);
}

LANE_FN void read_block_a(struct float_form f, const u8 *regs, const u32 *slots, u32 rows, u32 block,
                          struct tensor_a *to)
{
    const u32 groups = f.words / 4;
    for (u32 g = 0; g < groups; g++) {
        const u32 *at = slots + 2 * (f.bytes ? g : block * groups + g);
        rows_read(regs + at[0], regs + at[1], rows, to->word + g * 4);
        for (u32 q = g * 4; q < g * 4 + 4 && f.bytes; q++)
            to->word[q] = halves_of_bytes(f.a, to->word[q], block);
    }
    tensor_ready_a(f.type, per_word(f), f.words, to);
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

/* ---- tiles ---- */

/* Some rows of tile n of the result. Tiles follow each other along the columns, then by bands. */
LANE_FN void float_tile(struct float_form f, const struct ir_matrix *x, u32 n, const struct tensor_a *a,
                        const struct ready_b *b, const u8 *from, u8 *to, u32 rows)
{
    rows_u32 given[TILE_COLUMNS], c[TILE_COLUMNS];
    read_columns(f.half_c, from, x->c.slots + n * (f.half_c ? 2 : 4), rows, given);
    for (u32 j = 0; j < TILE_COLUMNS; j++)
        c[j] = f.bytes ? (rows_u32){0} : given[j];
    for (u32 k = 0; k < f.blocks; k++) {
        const struct tensor_b block = {(const u32 *)(const void *)b[k].word, (const u32 *)(const void *)b[k].exponent,
                                       (const f32 *)(const void *)b[k].value};
        for (u32 j = 0; j < TILE_COLUMNS && f.half_c && (f.half || !f.bytes); j++)
            c[j] = (rows_u32)rows_element(PTX_F16, c[j], 0);
        tensor_block(f.type, per_word(f), f.words, &a[k], &block, f.half, c);
    }
    for (u32 j = 0; j < TILE_COLUMNS; j++)
        if (f.bytes)
            c[j] = rows_plain_sum(c[j], given[j], f.half);
        else if (f.half_d && !f.half)
            c[j] = rows_f16_nearest((rows_f32)c[j]);
    write_columns(f.half_d, to, x->d.slots + n * (f.half_d ? 2 : 4), rows, c);
}

LANE_FN void multiply_form(struct float_form f, const struct ir_matrix *x, const u8 *from, u8 *to)
{
    const u32 bands = x->m / BAND, columns = x->n / 8, groups = (f.bytes ? 1 : f.blocks) * f.words / 4;
    struct ready_b b[MOST_COLUMNS * MOST_BLOCKS];
    struct tensor_a a[MOST_BLOCKS];
    for (u32 n = 0; n < columns; n++)
        for (u32 k = 0; k < f.blocks; k++)
            read_block_b(f, from, x->b.slots + n * groups, k, &b[n * f.blocks + k]);
    for (u32 at = 0; at < bands * BLOCKS; at++) {
        const u32 band = at / BLOCKS, rows = at % BLOCKS;
        for (u32 k = 0; k < f.blocks; k++)
            read_block_a(f, from, x->a.slots + 2 * band * groups, rows, k, &a[k]);
        for (u32 n = 0; n < columns; n++)
            float_tile(f, x, band * columns + n, a, b + n * f.blocks, from, to, rows);
    }
}

/* ---- instructions ---- */

/* The only tf32 product of 16 columns is wmma's. */
static void multiply_floats_to(const struct ir_matrix *x, const u8 *from, u8 *to)
{
#define FORM(as, words, blocks, bytes, half, ...)                                                                      \
    multiply_form((struct float_form){as, x->a.type, x->b.type, words, blocks, bytes, half, __VA_ARGS__}, x, from, to)
    const bool half_c = x->c.type == PTX_F16, half_d = x->d.type == PTX_F16, half = half_c && half_d;
    const bool long_k = x->k == 16;
    if (x->a.type == PTX_TF32)
        if (x->n == 16)
            FORM(PTX_TF32, 4, 2, false, false, false, false);
        else if (x->k == 8)
            FORM(PTX_TF32, 8, 1, false, false, false, false);
        else
            FORM(PTX_TF32, 4, 1, false, false, false, false);
    else if (x->a.type == PTX_BF16)
        if (long_k)
            FORM(PTX_BF16, 8, 1, false, false, false, false);
        else
            FORM(PTX_BF16, 4, 1, false, false, false, false);
    else if (x->a.type != PTX_F16)
        if (half)
            FORM(PTX_F16, x->k / 4, 2, true, true, true, true);
        else
            FORM(PTX_F16, x->k / 4, 2, true, false, false, false);
    else if (half)
        if (long_k)
            FORM(PTX_F16, 8, 1, false, true, true, true);
        else
            FORM(PTX_F16, 4, 1, false, true, true, true);
    else if (half_c || half_d)
        FORM(PTX_F16, x->k / 2, 1, false, false, half_c, half_d);
    else if (long_k)
        FORM(PTX_F16, 8, 1, false, false, false, false);
    else
        FORM(PTX_F16, 4, 1, false, false, false, false);
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
