/* order.h - the events of what orders memory accesses. Internal to exec/. */
#ifndef LS_EXEC_ORDER_H
#define LS_EXEC_ORDER_H

#include "exec/warp.h"

/* The record is a fence, or a commit or wait of asynchronous copies. */
void warp_order(struct warp *w, const struct ir_inst *pc);
/* The record is a nanosleep. */
void warp_order_sleep(struct warp *w, const struct ir_inst *pc, const u8 *regs);
/* addr: offsets in shared memory, of the lanes in mask; dead: as in the event. */
void warp_order_mbarrier(struct warp *w, const struct ir_inst *pc, enum exec_order_op op, u32 mask, const u64 *addr,
                         u32 dead, bool bulk);

#endif
