/* bodies_cvt_half.c - conversions to and from the floats of 16 bits and less. */
#include "exec/lanes.h"

#include "exec/ops/halves.h"
#include "exec/ops/whole.h"

#include "exec/ops/cvt_half.inc"
