/* bodies_matrix.c - warp matrix instructions, at one instruction-set level, with hooks (LS_TRACED) or without. */
#include "exec/access.h"
#include "exec/sched.h"
#include "ir/matrix.h"

#include "exec/ops/halves.h"
#include "exec/ops/matrix_f64.h"
#include "exec/ops/matrix_int.h"
#include "exec/ops/matrix_memory.h"
#include "exec/ops/matrix_quads.h"
#include "exec/ops/matrix_sparse.h"
#include "exec/ops/matrix_sums.h"
#include "exec/ops/rounding.h"

#include "exec/ops/matrix.inc"
