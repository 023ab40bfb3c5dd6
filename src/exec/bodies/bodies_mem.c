/* bodies_mem.c - the bodies of memory instructions, at one instruction-set level, with hooks (LS_TRACED) or without. */
#include "exec/access.h"

#include "exec/ops/memory.inc"
#include "exec/ops/address.inc"
#include "exec/ops/atomic.inc"
