/* bodies_control.c - control flow and warp-wide operations at one instruction-set level, with hooks (LS_TRACED) or
 * without. */
#include "exec/sync/async.h"
#include "exec/device/builtin.h"
#include "exec/lanes.h"
#include "exec/sync/order.h"
#include "exec/sched.h"

#include "exec/ops/control.inc"
#include "exec/ops/warp.inc"
#include "exec/ops/async.inc"
