/* scalar.h - a warp matrix product element by element, as the engine computed it before it had vectors for it: what the
 * vectors must equal, bit by bit. */
#ifndef LS_TEST_MATRIX_SCALAR_H
#define LS_TEST_MATRIX_SCALAR_H

#include "base/base.h"
#include "ir/matrix.h"

/* d = c + a b. */
void scalar_product(const struct ir_matrix *x, u8 *regs);

#endif
