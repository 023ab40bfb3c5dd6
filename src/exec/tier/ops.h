/* ops.h - which bodies the compiler has code for, and what their operands are. Internal to exec/tier.
 *
 * A row's `spec` names the operands' types, the result first, then those at a, b, c, aux of the
 * record:
 *
 *     i 32 bits   h 16 bits, zero-extended   s 16 bits, signed   l 64 bits   p a predicate   - none
 *     f f32, whose NaNs may be any   d f64
 *
 * An f result need not have the NaN that the hardware makes: it is given it when something looks at the bits. */
#ifndef LS_EXEC_TIER_OPS_H
#define LS_EXEC_TIER_OPS_H

#include "base/base.h"
#include "exec/tier/llvm.h"
#include "ir/ir.h"

struct gen;
struct op;

/* Makes the result of one operation: of scalars, or of vectors of 32 lanes (gen.vec says which). */
typedef llvm_value op_fn(struct gen *e, const struct op *op, llvm_value *x, const struct ir_inst *r);

enum op_form {
    OP_LANES, /* each lane of the result depends on the same lane of the operands */
    OP_LOAD,
    OP_STORE,
    OP_PACK,
    OP_UNPACK,
    OP_GUARD,
    OP_NOTHING,
    OP_SHUFFLE,
};

/* How a result of affine operands is affine. */
enum op_affine {
    AFFINE_NO,
    AFFINE_COPY,
    AFFINE_ADD,
    AFFINE_SUB,
    AFFINE_MUL,
    AFFINE_MAD,
    AFFINE_SHL,
    AFFINE_SHR,
    AFFINE_BITS, /* arg: enum llvm_opcode */
    AFFINE_NEG,
    AFFINE_TRUNC,   /* 64 to 32 bits */
    AFFINE_WIDEN_U, /* 32 to 64 bits, if no lane wraps: exact then */
    AFFINE_WIDEN_S,
    AFFINE_MUL_WIDE_U,
    AFFINE_MUL_WIDE_S,
    AFFINE_MAD_WIDE_U,
    AFFINE_MAD_WIDE_S,
};

struct op {
    const char *name;
    const char *spec;
    op_fn *fn;
    u8 form, affine;
    int arg;    /* the function's own */
    bool exact; /* an f32 result is as the hardware has it, NaNs too */
    bool
        lanes_by_body; /* vectors are the body's: processors have no such instruction, and LLVM would do lane by lane */
    /* OP_LOAD, OP_STORE, OP_PACK, OP_UNPACK: */
    u8 space, size, count; /* size: bytes of an element */
    bool sign;
};

/* The row of a body's name, or NULL. */
const struct op *op_find(const char *name);
/* All rows, for tests: row n, or NULL behind the last. */
const struct op *op_nth(u32 n);

#endif
