/* bodies_weak.c - the bodies of memory instructions for weak memory, with hooks (LS_TRACED) or without. Where a device
 * has weak memory they replace those of bodies_mem.c and the fence of bodies_control.c. Nothing in them is a lane loop
 * that vectors could help, so there is one level. */
#define LS_WEAK
#include "exec/access.h"
#include "exec/sync/order.h"
#include "exec/sync/weak.h"

#include "exec/ops/memory.inc"
#include "exec/ops/address.inc"
#include "exec/ops/atomic.inc"
