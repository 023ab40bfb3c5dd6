/* wgmma.h - how the record of a product of a warpgroup (wgmma.mma_async, PTX ISA 9.7.15) says what to do, in ptr: made by
 * emit_wgmma.c, run by exec/sync/wgmma.c and exec/ops/wgmma.inc.
 *
 * Each warp of the four computes 16 lines of d. A line of a and a column of b are 32 bytes of k, whatever the type; of a sparse a
 * a column of b is 64. Registers
 * of d are those of the accumulators of m16n8 products (ir/matrix.h), 8 columns behind each other; those of a, too. */
#ifndef LS_IR_WGMMA_H
#define LS_IR_WGMMA_H

#include "ptx/ptx.h"

enum { WGMMA_D = 128, WGMMA_A = 4, WGMMA_LINES = 16, WGMMA_BYTES = 32, WGMMA_WARPS = 4 };

struct ir_wgmma {
    u16 n;
    u8 a, b, d;     /* enum ptx_type of elements */
    bool satfinite; /* integers: clamp the result instead of wrapping */
    bool negative;  /* the products are subtracted */
    bool a_in_registers, sparse;
    u8 selector;           /* sparse: which lanes' metadata */
    u32 metadata;          /* a slot */
    bool cross_a, cross_b; /* lines, or columns, lie side by side in shared memory, and not k */
    u32 a_at, b_at;        /* slots of the descriptors */
    u32 adds;              /* the predicate: d is added to, or else only written */
    u32 a_slots[WGMMA_A];
    u32 nd;
    u32 d_slots[WGMMA_D];
};

/* What an instruction touches while products may be under way: slots of 32 bits. */
struct ir_wgmma_touch {
    u32 n;
    struct {
        u32 slot;
        bool is_write;
    } at[];
};

#endif
