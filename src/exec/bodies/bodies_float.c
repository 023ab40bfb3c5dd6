/* bodies_float.c - f32 and f64 in round-to-nearest. */
#include "exec/lanes.h"

#include "exec/ops/halves.h"

#define RND
#define M1 MAP1
#define M2 MAP2
#define M3 MAP3
#include "exec/ops/arith.inc"

#include "exec/ops/float.inc"
