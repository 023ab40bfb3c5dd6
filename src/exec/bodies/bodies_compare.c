/* bodies_compare.c - setp. */
#include "exec/lanes.h"

#include "exec/ops/floats.h"

#include "exec/ops/compare.inc"
