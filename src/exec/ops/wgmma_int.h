/* wgmma_int.h - products of warpgroups of bytes and of single bits, as matrix_int.h multiplies. Operands: exec/sync/wgmma.h. */
#ifndef LS_EXEC_OPS_WGMMA_INT_H
#define LS_EXEC_OPS_WGMMA_INT_H

#include "exec/ops/matrix_int.h"
#include "exec/sync/wgmma.h"

enum { GROUP_PAIRS = 2 /* of 16-bit integers a word of bytes has */ };

LANE_FN void group_int_parts(u32 bits, bool is_signed, u32 n, const u8 *b, u8 *ready)
{
    const u32 parts = bits == 1 ? 1 : GROUP_PAIRS, vectors = IR_LANES / VL;
    for (u32 j = 0; j < n / 8; j++) {
        const rows_u32 *from = (const rows_u32 *)(const void *)(b + (size_t)j * WGMMA_TILE);
        rows_i32 *to = (rows_i32 *)(void *)(ready + (size_t)j * WGMMA_READY);
        for (u32 r = 0; r < 2; r++)
            for (u32 i = 0; i < parts; i++)
                for (u32 e = 0; e < vectors; e++)
                    *to++ = rows_part(bits, is_signed, from[r * vectors + e], i);
    }
}

static void group_prepare_ints(const struct ir_wgmma *x, const u8 *b, u8 *ready)
{
#define GROUP_PARTS(bits, is_signed) group_int_parts(bits, is_signed, x->n, b, ready)
    FOR_INTS(x->b, GROUP_PARTS)
    CALL_OUT();
}

LANE_FN void group_int_a(u32 bits, bool is_signed, const struct wgmma_job *j, u32 rows, rows_i32 *to)
{
    for (u32 g = 0; g < 2; g++) {
        rows_u32 v[4];
        rows_read(j->a[2 * g], j->a[2 * g + 1], rows, v);
        for (u32 q = 0; q < 4; q++)
            for (u32 i = 0; i < (bits == 1 ? 1u : GROUP_PAIRS); i++)
                *to++ = rows_part(bits, is_signed, v[q], i);
    }
}

LANE_FN void group_int_side(u32 bits, const struct wgmma_job *j, const rows_i32 *a, u32 rows, u32 n, u32 side)
{
    const struct ir_wgmma *x = j->x;
    const u32 *slots = x->d_slots + 4 * n + side;
    const i32 *b = (const i32 *)(const void *)(j->ready + (size_t)n * WGMMA_READY);
    rows_u32 v[4];
    rows_i32 sum[4];
    int_product(bits == 1 ? MATRIX_AND : MATRIX_MUL, bits == 1 ? 1 : GROUP_PAIRS, 2, a, b, side, sum);
    rows_read(j->regs + slots[0], j->regs + slots[2], rows, v);
    for (u32 i = 0; i < 4; i++)
        if (!j->adds)
            v[i] = (rows_u32)sum[i];
        else if (x->satfinite)
            v[i] = rows_add_clamped(v[i], sum[i]);
        else
            v[i] += (rows_u32)sum[i];
    rows_write(j->regs + slots[0], j->regs + slots[2], rows, v);
}

MEM_FN void group_multiply_int(u32 bits, const struct wgmma_job *j)
{
    rows_i32 a[8 * GROUP_PAIRS];
    for (u32 rows = 0; rows < BLOCKS; rows++) {
#define GROUP_READ_A(bits, is_signed) group_int_a(bits, is_signed, j, rows, a)
        FOR_INTS(j->x->a, GROUP_READ_A)
        for (u32 n = 0; n < j->x->n / 8u; n++)
            for (u32 side = 0; side < 2; side++)
                group_int_side(bits, j, a, rows, n, side);
    }
}

static void group_multiply_ints(const struct wgmma_job *j)
{
    if (j->x->a == PTX_B1)
        group_multiply_int(1, j);
    else
        group_multiply_int(8, j);
    CALL_OUT();
}

#endif
