/* bodies_half.c - f16 and bf16 arithmetic and comparison. */
#include "exec/lanes.h"

#include "exec/ops/halves.h"

#include "exec/ops/half.inc"
