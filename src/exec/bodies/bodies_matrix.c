/* bodies_matrix.c - products of matrices by a warp, at one instruction-set level. */
#include "exec/sched.h"
#include "ir/matrix.h"

#include "exec/ops/halves.h"
#include "exec/ops/matrix_f64.h"
#include "exec/ops/matrix_int.h"
#include "exec/ops/matrix_quads.h"
#include "exec/ops/matrix_sparse.h"
#include "exec/ops/matrix_sums.h"
#include "exec/ops/matrix_whole.h"
#include "exec/ops/rounding.h"

#include "exec/ops/matrix.inc"
