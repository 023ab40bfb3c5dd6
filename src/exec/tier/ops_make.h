/* ops_make.h - what the files of rows (ops*.c) share. Internal to them. */
#ifndef LS_EXEC_TIER_OPS_MAKE_H
#define LS_EXEC_TIER_OPS_MAKE_H

#include "exec/tier/gen.h"

/* Rows of other files than ops.c. */
struct op_rows {
    const struct op *rows;
    u32 n;
};
extern const struct op_rows ops_bits, ops_convert, ops_half;

#define ROW(n, s, f, aff, ...) {.name = #n, .spec = s, .fn = f, .form = OP_LANES, .affine = aff, __VA_ARGS__},

/* Flags of op.arg, beside what a function takes there. */
enum { FTZ = 256, SAT = 512 };

llvm_value op_flush(struct gen *e, llvm_value x); /* an f32 */
/* how: of 32 bits, enum llvm_opcode; b is not 0, and not -1 where a is the least. */
llvm_value op_divide_32(struct gen *e, enum llvm_opcode how, llvm_value a, llvm_value b);
llvm_value op_saturate(struct gen *e, llvm_value x);
llvm_value op_quiet_f64(struct gen *e, llvm_value x, llvm_value r); /* r, but x quieted where it is a NaN */
llvm_value op_widen_f32(struct gen *e, llvm_value x);
llvm_value op_narrow_f64(struct gen *e, llvm_value x);
/* t as gen.vec says: itself, or 32 of it */
static inline llvm_type op_type(struct gen *e, llvm_type t) { return e->vec ? gen_lanes_of(e, t) : t; }

#endif
