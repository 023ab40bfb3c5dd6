/* op_text.h - the PTX instruction that has the body of a row of ops.c, for tests that write kernels of them. */
#ifndef OP_TEXT_H
#define OP_TEXT_H

#include <stdio.h>
#include <string.h>

#include "exec/tier/ops.h"

/* Kinds of operands; of each there are four registers, %i0 to %i3 and so on. */
static const char op_kinds[] = "ihlfdp";
enum { OP_KINDS = sizeof op_kinds - 1, OP_OPERANDS = 4 };
static const char *const op_types[OP_KINDS] = {"b32", "b16", "b64", "b32", "b64", "pred"};

static inline bool op_has(const char *name, const char *part) { return strstr(name, part) != NULL; }
static inline bool op_starts(const char *name, const char *part) { return strncmp(name, part, strlen(part)) == 0; }

/* Instructions of floats that must say how they round. */
static inline bool op_says_rn(const char *name)
{
    static const char *const ops[] = {"mad_", "div_", "rcp_", "sqrt_"};
    const char *end = name + strlen(name) - 4;
    if (op_starts(name, "fma_"))
        return true;
    if (strcmp(end, "_f32") != 0 && strcmp(end, "_f64") != 0)
        return false;
    for (size_t k = 0; k < LS_ARRAY_LEN(ops); k++)
        if (op_starts(name, ops[k]))
            return !op_has(name, "approx") && !op_has(name, "full");
    return false;
}

/* The PTX opcode with its modifiers that has this body. */
static inline void op_opcode(const char *name, char out[64])
{
    const size_t first = strcspn(name, "_");
    snprintf(out, 64, "%.*s%s%s", (int)first, name, op_says_rn(name) ? ".rn" : "", name + first);
    for (char *c = out; *c; c++)
        *c = *c == '_' ? '.' : *c;
}

/* Of operand k, or the result (-1): a place in op_kinds. */
static inline int op_kind(const struct op *op, int k)
{
    char letter = op->spec[1 + k];
    if (letter == 's' || (letter == 'i' && (strcmp(op->name, "mov_b16") == 0 || strcmp(op->name, "selp_b16") == 0)))
        letter = 'h';
    if (k >= 0 && strcmp(op->name, "cvt_f64_f32") == 0)
        letter = 'f';
    return (int)(strchr(op_kinds, letter) - op_kinds);
}

static inline int op_arity(const struct op *op) { return (int)strlen(op->spec) - 1; }

#endif
