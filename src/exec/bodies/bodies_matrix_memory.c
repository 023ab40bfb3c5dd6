/* bodies_matrix_memory.c - matrices of a warp to and from memory, at one instruction-set level, with hooks (LS_TRACED) or
 * without. Apart from the products (bodies_matrix.c), which have none and take the compiler long. */
#include "exec/access.h"
#include "exec/sched.h"
#include "ir/matrix.h"

#include "exec/ops/matrix_memory.h"
#include "exec/ops/matrix_whole.h"

#include "exec/ops/matrix_memory.inc"
