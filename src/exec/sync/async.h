/* async.h - mbarriers and bulk copies: what a lane's address means, and what the two share. Internal to exec/.
 *
 * When bulk copies are done: flight.h. shared::cluster may be the shared memory of another block (cluster.h); such accesses
 * and arrivals are not told. */
#ifndef LS_EXEC_ASYNC_H
#define LS_EXEC_ASYNC_H

#include "exec/sync/cluster.h"
#include "ir/async.h"

/* The record to go on with, or NULL after a fault or when the split gives way. */
const struct ir_inst *mbarrier_run(struct warp *w, const struct ir_inst *pc, u8 *regs);
const struct ir_inst *bulk_run(struct warp *w, const struct ir_inst *pc, u8 *regs);

/* cp.async.bulk.commit_group and wait_group. */
const struct ir_inst *flight_commit(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *flight_wait(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *tensor_map_run(struct warp *w, const struct ir_inst *pc, u8 *regs);

/* The mbarrier that the lane's address names, at which bytes of a copy will arrive: told now. NULL after a fault. */
u8 *mbarrier_awaits_bytes(struct warp *w, const struct ir_inst *pc, const u8 *regs, const struct ir_address *at,
                          unsigned lane);
/* They have come: the copy's instruction is pc of func, by that lane of some warp. False after a fault. */
bool mbarrier_bytes_came(struct warp *w, const struct ir_func *func, const struct ir_inst *pc, unsigned lane,
                         u8 *barrier, u32 bytes);

/* The memory of the lane's address, which is one of shared memory, checked; NULL after a fault. left_out: set when the kernel
 * goes on nevertheless, without this access (warp_excuse); NULL: it never does. */
u8 *async_shared(struct warp *w, const struct ir_inst *pc, const u8 *regs, const struct ir_address *at, unsigned lane,
                 u64 bytes, unsigned align, bool write, bool *left_out);
/* The lane's address; one of shared memory that is a constant counts from the block's own. */
static inline u64 async_address(const u8 *regs, const struct ir_address *at, unsigned lane)
{
    if (at->flags & IR_ADDR_CONST)
        return (u64)at->offset;
    if (at->flags & IR_ADDR32)
        return ((const u32 *)(const void *)(regs + at->slot))[lane] + (u32)at->offset;
    return ((const u64 *)(const void *)(regs + at->slot))[lane] + (u64)at->offset;
}
/* The same of shared memory, as an offset from the block's own. */
static inline u64 async_offset(const struct warp *w, const u8 *regs, const struct ir_address *at, unsigned lane)
{
    const u64 base = at->generic ? w->shared_window : at->flags & IR_ADDR_CONST ? 0 : w->shared_at;
    return async_address(regs, at, lane) - base;
}

#endif
