/* condition.h - expressions that the debugger sends, evaluated for the 32 lanes of a warp at once: conditions of stops, and
 * what is to be printed.
 *
 * An expression is a list of steps of a stack machine, each a list of its name and its words (docs/debug.md has all):
 *
 *     [["reg", "%r5"], ["const", "s32", 10], ["gt", "s32"]]
 *
 * Types are checked when it is compiled, for one function, so that running it only computes. */
#ifndef LS_DEBUG_CONDITION_H
#define LS_DEBUG_CONDITION_H

#include <jansson.h>

#include "exec/gate/look.h"

enum condition_type {
    TYPE_S8,
    TYPE_U8,
    TYPE_S16,
    TYPE_U16,
    TYPE_S32,
    TYPE_U32,
    TYPE_S64,
    TYPE_U64,
    TYPE_F32,
    TYPE_F64
};

/* STEP(name, how): BINARY of a type, COMPARE likewise with the result s32, UNARY */
#define CONDITION_STEPS(STEP)                                                                                          \
    STEP(add, BINARY)                                                                                                  \
    STEP(sub, BINARY)                                                                                                  \
    STEP(mul, BINARY)                                                                                                  \
    STEP(div, BINARY)                                                                                                  \
    STEP(rem, BINARY)                                                                                                  \
    STEP(and, BINARY)                                                                                                  \
    STEP(or, BINARY)                                                                                                   \
    STEP(xor, BINARY)                                                                                                  \
    STEP(shl, BINARY)                                                                                                  \
    STEP(shr, BINARY)                                                                                                  \
    STEP(eq, COMPARE)                                                                                                  \
    STEP(ne, COMPARE)                                                                                                  \
    STEP(lt, COMPARE)                                                                                                  \
    STEP(le, COMPARE)                                                                                                  \
    STEP(gt, COMPARE)                                                                                                  \
    STEP(ge, COMPARE)                                                                                                  \
    STEP(land, COMPARE)                                                                                                \
    STEP(lor, COMPARE)                                                                                                 \
    STEP(neg, UNARY)                                                                                                   \
    STEP(not, UNARY)                                                                                                   \
    STEP(lnot, NEGATION)                                                                                               \
    STEP(cvt, CONVERSION)                                                                                              \
    STEP(select, SELECTION)                                                                                            \
    STEP(reg, PUSH)                                                                                                    \
    STEP(special, PUSH)                                                                                                \
    STEP(variable, PUSH)                                                                                               \
    STEP(const, PUSH)                                                                                                  \
    STEP(load, LOAD)

enum condition_code {
#define STEP(name, how) STEP_##name,
    CONDITION_STEPS(STEP)
#undef STEP
        STEP_COUNT
};

/* 32 lanes of 4 or 8 bytes. */
union lanes {
    u32 w[IR_LANES];
    i32 sw[IR_LANES];
    f32 f[IR_LANES];
    u64 d[IR_LANES];
    i64 sd[IR_LANES];
    f64 df[IR_LANES];
    u8 bytes[IR_LANES * 8];
} __attribute__((aligned(64)));

struct condition_step {
    u8 code, type, from;   /* enum condition_code, enum condition_type */
    bool predicate;        /* reg: a mask */
    u8 space, axis;        /* load: enum ptx_space */
    u32 index;             /* reg: in the function; special: enum ptx_sreg */
    struct look_span span; /* load: where it read last, if that stays */
    union lanes *constant; /* const; variable: its address, once it is known */
    char *name;            /* variable */
    u8 found;              /* variable: 0: not looked for yet, 1: there is none, 2: constant has it */
};

enum { CONDITION_DEPTH = 32, CONDITION_STEPS_MOST = 256 };

struct condition {
    u32 n;
    u8 type; /* of the result */
    struct condition_step *steps;
};

/* NULL: *why, which has room for 200 bytes, says what is wrong. */
struct condition *condition_compile(const json_t *text, const struct ir_func *func, char why[200]);
void condition_free(struct condition *c);

/* What it is evaluated in. */
struct condition_place {
    struct mem *mem;
    const struct warp *w;
    const struct frame *frame;
};
/* The result in *out; the lanes of mask that have one: the others divided by zero or loaded from where nothing is. */
u32 condition_run(const struct condition *c, const struct condition_place *at, u32 mask, union lanes *out);
/* Of these, the lanes where it is not zero. */
u32 condition_holds(const struct condition *c, const struct condition_place *at, u32 mask);

/* Steps that take nothing from a launch. False: a lane has no value. */
bool condition_constant(struct condition_step *steps, u32 n, union lanes *out);

bool condition_type_named(const char *name, enum condition_type *out);
const char *condition_type_name(enum condition_type t);
static inline u32 condition_type_bytes(enum condition_type t)
{
    return t <= TYPE_U8 ? 1 : t <= TYPE_U16 ? 2 : t == TYPE_S64 || t == TYPE_U64 || t == TYPE_F64 ? 8 : 4;
}
/* "global", "shared", ..., "generic" */
bool space_named(const char *name, enum ptx_space *out);
/* "%tid.x", "%laneid" */
bool special_named(const char *name, enum ptx_sreg *sreg, unsigned *axis);
/* A register by its name; false: no instruction of the function names it. */
bool register_named(const struct ir_func *func, const char *name, u32 *index);

#endif
