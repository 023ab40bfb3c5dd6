/* bodies_wgmma.c - products of warpgroups, at one instruction-set level. */
#include "exec/access.h"
#include "exec/sched.h"

#include "exec/ops/wgmma_bytes.h"
#include "exec/ops/wgmma_float.h"
#include "exec/ops/wgmma_int.h"
#include "exec/ops/wgmma_sparse.h"

#include "exec/ops/wgmma.inc"
