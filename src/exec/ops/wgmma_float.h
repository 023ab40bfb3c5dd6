/* wgmma_float.h - products of warpgroups of f16, bf16 and tf32: each tile of 16 x 8 is a block of matrix_tensor.h over all of
 * k, as of mma. Operands: exec/sync/wgmma.h. */
#ifndef LS_EXEC_OPS_WGMMA_FLOAT_H
#define LS_EXEC_OPS_WGMMA_FLOAT_H

#include "exec/ops/matrix_sums.h"
#include "exec/sync/wgmma.h"

enum { GROUP_REGISTERS = 2, GROUP_VECTORS = GROUP_REGISTERS * REGISTER_VECTORS };

/* What a tile of b becomes; `any` when it is wanted. */
struct group_b {
    struct near_b near;
    struct tensor_b any;
    bool has_any;
};
_Static_assert(sizeof(struct group_b) <= WGMMA_READY, "what a tile of b becomes");

/* What a function is made for. */
struct group_form {
    enum ptx_type type;
    bool half;
};
LANE_FN u32 group_per(struct group_form f) { return f.type == PTX_TF32 ? 1 : 2; }

LANE_FN void group_prepare(struct group_form f, u32 n, const u8 *b, u8 *ready)
{
    for (u32 j = 0; j < n / TILE_COLUMNS; j++) {
        const rows_u32 *word = (const rows_u32 *)(const void *)(b + (size_t)j * WGMMA_TILE);
        struct group_b *to = (struct group_b *)(void *)(ready + (size_t)j * WGMMA_READY);
        tensor_near_b(f.type, GROUP_REGISTERS, word, &to->near);
        to->has_any = false;
    }
}

/* And a. */
struct group_a {
    struct near_a near;
    struct tensor_a any;
    bool has_any;
};

LANE_FN void group_read_a(struct group_form f, const struct wgmma_job *j, u32 rows, struct group_a *a)
{
    const u32 signs = !j->x->negative ? 0 : f.type == PTX_TF32 ? 1u << 31 : 1u << 31 | 1u << 15;
    rows_u32 *word = a->any.word, given[TENSOR_WORDS];
    for (u32 g = 0; g < GROUP_REGISTERS; g++)
        rows_read(j->a[2 * g], j->a[2 * g + 1], rows, word + 4 * g);
    for (u32 k = 0; k < TENSOR_WORDS; k++)
        word[k] ^= signs;
    memcpy(given, word, sizeof given);
    for (u32 g = 0; g < GROUP_REGISTERS && NEAR_FLOORS; g++)
        rows_turn(given + 4 * g);
    tensor_near_a(f.type, TENSOR_WORDS, given, &a->near);
    a->has_any = false;
}

/* What operands that are not near 0 become; word: b's. */
LANE_FN void group_any(struct group_form f, struct group_a *a, struct group_b *b, const rows_u32 *word)
{
    if (!a->has_any)
        tensor_any_a(f.type, group_per(f), TENSOR_WORDS, &a->any);
    if (!b->has_any)
        tensor_any_b(f.type, group_per(f), GROUP_REGISTERS, word, &b->any);
    a->has_any = b->has_any = true;
}
/* c += a b. */
LANE_FN void group_block(struct group_form f, struct group_a *a, struct group_b *b, const rows_u32 *word, rows_u32 *c)
{
    const struct tensor_near x = {&a->near, &b->near, &a->any, &b->any};
    if (!NEAR_FLOORS)
        group_any(f, a, b, word);
    if (tensor_is_near(x.near_a, x.near_b) && LS_LIKELY(tensor_block_near(group_per(f), TENSOR_WORDS, &x, f.half, c)))
        return;
    group_any(f, a, b, word);
    tensor_block_far(f.type, TENSOR_WORDS, x.a, x.b, (const u32 *)(const void *)word, f.half, c);
}

/* The accumulators of a tile, or zeros; f16 as f32. */
LANE_FN void group_read_c(bool any, bool half, const struct wgmma_job *j, u32 tile, u32 rows, rows_u32 *c)
{
    if (j->adds)
        read_tile(any, half, j->regs, j->x->d_slots + tile * (half ? 2 : 4), rows, c);
    for (u32 k = 0; k < TILE_COLUMNS; k++)
        c[k] = !j->adds ? (rows_u32){0} : half ? (rows_u32)rows_element(PTX_F16, c[k], 0) : c[k];
}

LANE_FN void group_multiply(struct group_form f, const struct wgmma_job *j)
{
    const struct ir_wgmma *x = j->x;
    struct group_a a;
    for (u32 rows = 0; rows < BLOCKS; rows++) {
        group_read_a(f, j, rows, &a);
        for (u32 n = 0; n < x->n / TILE_COLUMNS; n++) {
            struct group_b *b = (struct group_b *)(void *)(j->ready + (size_t)n * WGMMA_READY);
            rows_u32 c[TILE_COLUMNS];
            group_read_c(false, f.half, j, n, rows, c);
            group_block(f, &a, b, (const rows_u32 *)(const void *)(j->b + (size_t)n * WGMMA_TILE), c);
            write_tile(false, f.half, j->regs, x->d_slots + n * (f.half ? 2 : 4), rows, c);
        }
    }
}

static void group_prepare_floats(const struct ir_wgmma *x, const u8 *b, u8 *ready)
{
    if (x->a == PTX_F16)
        group_prepare((struct group_form){PTX_F16, false}, x->n, b, ready);
    else if (x->a == PTX_BF16)
        group_prepare((struct group_form){PTX_BF16, false}, x->n, b, ready);
    else
        group_prepare((struct group_form){PTX_TF32, false}, x->n, b, ready);
    CALL_OUT();
}

static void group_multiply_floats(const struct wgmma_job *j)
{
    const struct ir_wgmma *x = j->x;
    if (x->a == PTX_BF16)
        group_multiply((struct group_form){PTX_BF16, false}, j);
    else if (x->a == PTX_TF32)
        group_multiply((struct group_form){PTX_TF32, false}, j);
    else if (x->d == PTX_F16)
        group_multiply((struct group_form){PTX_F16, true}, j);
    else
        group_multiply((struct group_form){PTX_F16, false}, j);
    CALL_OUT();
}

#endif
