/* inputs.h - operands that make the rules of a matrix product show: a tile's matrices, from a generator of its own. */
#ifndef LS_TENSOR_INPUTS_H
#define LS_TENSOR_INPUTS_H

#include "model.h"

enum { TENSOR_MOST_A = 64 * 32, TENSOR_MOST_C = 64 * 8, TENSOR_KINDS = 24 };

/* Elements in the low bits: a by lines of k, b by columns of k, c by lines of n. */
struct tensor_tile {
    uint32_t a[TENSOR_MOST_A], b[TENSOR_MOST_A], c[TENSOR_MOST_C];
};
extern const char *const tensor_kinds[TENSOR_KINDS];
void tensor_inputs(const struct tensor_op *op, int op_number, int kind, int tile, struct tensor_tile *to);

#endif
