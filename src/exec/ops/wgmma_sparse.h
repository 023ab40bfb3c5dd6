/* wgmma_sparse.h - products of warpgroups of a sparse A, element by element (matrix_sparse.h). Operands: exec/sync/wgmma.h; of
 * each 8 columns of b four registers. */
#ifndef LS_EXEC_OPS_WGMMA_SPARSE_H
#define LS_EXEC_OPS_WGMMA_SPARSE_H

#include "exec/ops/matrix_sparse.h"
#include "exec/ops/wgmma_bytes.h"

static void group_prepare_sparse(const struct ir_wgmma *x, const u8 *b, u8 *ready) { (void)x, (void)b, (void)ready; }

static void group_multiply_sparse(const struct wgmma_job *j)
{
    const struct ir_wgmma *x = j->x;
    const bool is_byte = x->a == PTX_E4M3 || x->a == PTX_E5M2;
    struct sparse_tile t = {.b = (enum ptx_type)x->b,
                            .half = x->d == PTX_F16,
                            .adds = j->adds,
                            .clamp = x->satfinite,
                            .negative = x->negative,
                            .kept = is_byte ? BYTE_KEPT : KEPT,
                            .cut = is_byte ? BYTE_CUT : 0};
    t.lines = (struct sparse_lines){.type = (enum ptx_type)x->a,
                                    .bits = ptx_type_bits((enum ptx_type)x->a),
                                    .selector = x->selector,
                                    .metadata = (const u32 *)(const void *)(j->regs + x->metadata)};
    t.lines.k = 8 * 2 * WGMMA_BYTES / t.lines.bits;
    for (u32 k = 0; k < WGMMA_A; k++)
        t.lines.a[k] = (const u32 *)(const void *)j->a[k];
    for (u32 n = 0; n < x->n / (u32)TILE_COLUMNS; n++) {
        const u32 *b[4], *slots = x->d_slots + n * (t.half ? 2 : 4);
        for (u32 k = 0; k < 4; k++)
            b[k] = (const u32 *)(const void *)(j->b + ((size_t)n * 4 + k) * IR_SLOT);
        sparse_multiply(&t, b, j->regs, slots, j->regs, slots);
    }
    CALL_OUT();
}

#endif
