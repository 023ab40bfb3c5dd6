/* bodies_int.c - integers: arithmetic, logic, shifts, bit fields, moves. */
#include "exec/lanes.h"

#include "exec/ops/move.inc"

#include "exec/ops/int.inc"

#include "exec/ops/logic.inc"
