/* bodies_control.c - control flow and warp-wide operations at one instruction-set level, with hooks (LS_TRACED) or
 * without. */
#include "exec/async.h"
#include "exec/builtin.h"
#include "exec/lanes.h"
#include "exec/order.h"
#include "exec/sched.h"

#include "exec/ops/async.inc"
#include "exec/ops/control.inc"
#include "exec/ops/warp.inc"
