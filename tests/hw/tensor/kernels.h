/* kernels.h - a matrix instruction as a kernel: block i multiplies the i-th matrices. */
#ifndef LS_TENSOR_KERNELS_H
#define LS_TENSOR_KERNELS_H

#include <stddef.h>

#include "model.h"

/* PTX of k(a, b, c, d): a and c by lines, b by columns, d like c; matrices one behind the other. */
void tensor_kernel(const struct tensor_op *op, char *text, size_t size);

#endif
