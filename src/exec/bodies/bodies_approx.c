/* bodies_approx.c - approximate division, roots and elementary functions. */
#include "exec/lanes.h"

#include "exec/ops/halves.h"
#include "exec/ops/kernels.h"

#include "exec/ops/approx.inc"
