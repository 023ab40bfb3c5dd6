/* wgmma.h - products of warpgroups (wgmma.mma_async) that have been issued and are not done. Internal to exec/.
 *
 * A warp has a queue of its products, in order, each in the group that the next commit closes. A product is done when some warp
 * of the warpgroup waits for its group and all four warps have issued it: then for all four, each with its own 16 lines, so
 * that who goes on may give the shared memory free. Only then are shared memory and the registers of a and d read. Before a
 * wait it is done too, of the warp alone, when the warp touches a register of it (ptxas puts a wait there), leaves the function,
 * or has more than WGMMA_MOST under way. What nobody waited for when the kernel ends is not done.
 *
 * Arithmetic is in the bodies of each level (ops/wgmma.inc), called with operands as they would be in registers:
 *
 *     a: four registers of 128 bytes, as those of m16n8 products          (ir/matrix.h)
 *     b: of each 8 columns two registers, the first and the second 16 bytes of k of each column; of a sparse a four */
#ifndef LS_EXEC_WGMMA_H
#define LS_EXEC_WGMMA_H

#include "exec/sched.h"
#include "ir/wgmma.h"

enum {
    WGMMA_MOST = 128,
    WGMMA_TILE = 2 * IR_SLOT,
    WGMMA_SPARSE_TILE = 2 * WGMMA_TILE,
    WGMMA_TILES = 32,
    WGMMA_READY = 20 * IR_SLOT /* bytes a tile */
};

struct wgmma_job {
    const struct ir_wgmma *x;
    u8 *regs; /* of d */
    const u8 *a[WGMMA_A];
    const u8 *b;
    u8 *ready;
    bool adds;
};

/* A level's arithmetic: what is made of b once for all warps, and the product. */
struct wgmma_ops {
    void (*prepare)(const struct ir_wgmma *x, const u8 *b, u8 *ready);
    void (*multiply)(const struct wgmma_job *j);
};

const struct ir_inst *wgmma_issue(struct warp *w, const struct ir_inst *pc, u8 *regs, const struct wgmma_ops *ops);
const struct ir_inst *wgmma_commit(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *wgmma_wait(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *wgmma_settle(struct warp *w, const struct ir_inst *pc);

/* The block begins anew. */
void wgmma_block_begin(struct block *b);
/* The frame's registers are about to go. */
void wgmma_leave(struct warp *w, const struct frame *f);

#endif
