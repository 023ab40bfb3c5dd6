/* wgmma_shape.h - what a product of a warpgroup (wgmma.mma_async) is by its PTX: for who counts and times it. */
#ifndef LS_IR_WGMMA_SHAPE_H
#define LS_IR_WGMMA_SHAPE_H

#include "ptx/ptx.h"

struct ir_wgmma_shape {
    u32 n, k; /* 64 rows, n columns; k of a sparse a is twice what is stored */
    u8 a;     /* enum ptx_type of its elements */
    bool a_in_registers, sparse;
};
/* False: it is no such product. */
bool ir_wgmma_shape(const struct ptx_inst *i, struct ir_wgmma_shape *s);

/* Wavefronts of shared memory that the operands cost all four warps together: as many as their bytes make of 128, however they
 * lie. Measured on an H200 (tests/hw/h200/async-counters.csv). */
static inline u32 ir_wgmma_wavefronts(const struct ir_wgmma_shape *s)
{
    return (s->a_in_registers ? 0 : 16) + s->n * (s->sparse ? 2 : 1) / 4;
}

#endif
