/* bodies_cvt.c - conversions that need no rounding mode but to-nearest. */
#include "exec/lanes.h"

#include "exec/ops/floats.h"
#include "exec/ops/whole.h"

#include "exec/ops/cvt.inc"

#define RND _rn
#define M1 MAP1
#include "exec/ops/cvt_round.inc"
