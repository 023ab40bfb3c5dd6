/* expression.h - expressions of C as a debugger's user writes them: parsed once to a tree, evaluated for a thread.
 *
 *     print in[threadIdx.x] * 2      break 40 if i == n - 1      set var p->x = 3      print *out@8      print $r1
 *
 * Beyond C: a @ n (n values from a on), $name and %name (registers and special registers of PTX, and what the debugger
 * itself has), @shared and the other words of CUDA's debugger for state spaces in casts, threadIdx and its like. Functions
 * are not called. The tree names variables by their text, so it holds for any thread, and can be made into something
 * else than a walk of it. */
#ifndef LS_DEBUG_INFO_EXPRESSION_H
#define LS_DEBUG_INFO_EXPRESSION_H

#include "debug/info/value.h"

enum debug_node_kind {
    DEBUG_NODE_NUMBER,   /* type, bits */
    DEBUG_NODE_STRING,   /* name, bits: its length */
    DEBUG_NODE_NAME,     /* name */
    DEBUG_NODE_DOLLAR,   /* name: behind $ or % */
    DEBUG_NODE_SPECIAL,  /* sreg, comp */
    DEBUG_NODE_SPECIALS, /* sreg: x, y and z, as a struct */
    DEBUG_NODE_UNARY,    /* op a */
    DEBUG_NODE_BINARY,   /* a op b */
    DEBUG_NODE_ASSIGN,   /* a = b, a op= b */
    DEBUG_NODE_TERNARY,  /* a ? b : c */
    DEBUG_NODE_CAST,     /* (type)a */
    DEBUG_NODE_SIZEOF,   /* of type, or of a */
    DEBUG_NODE_INDEX,    /* a[b] */
    DEBUG_NODE_MEMBER,   /* a.name; a->name is (*a).name */
    DEBUG_NODE_REPEAT,   /* a@b */
};

/* Operators, by their characters: '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '!', '~' and these. */
enum debug_operator {
    DEBUG_OP_NONE,
    DEBUG_OP_SHIFT_LEFT = 256,
    DEBUG_OP_SHIFT_RIGHT,
    DEBUG_OP_EQUAL,
    DEBUG_OP_NOT_EQUAL,
    DEBUG_OP_AT_MOST,
    DEBUG_OP_AT_LEAST,
    DEBUG_OP_AND,
    DEBUG_OP_OR,
};

struct debug_node {
    u8 kind; /* enum debug_node_kind */
    char comp;
    u16 op; /* enum debug_operator */
    u32 sreg;
    u64 bits;
    const char *name;
    const struct debug_type *type;
    const struct debug_node *a, *b, *c;
};

/* The tree of a text, in c->mem; NULL with c->error. Names of types are looked up in c->info. */
const struct debug_node *debug_parse(struct debug_context *c, const char *text);
/* A type alone ("const float *"), for sizeof's and ptype's sake. NULL with c->error. */
const struct debug_type *debug_parse_type(struct debug_context *c, const char *text);

bool debug_evaluate(struct debug_context *c, const struct debug_node *n, struct debug_value *out);
bool debug_evaluate_text(struct debug_context *c, const char *text, struct debug_value *out);
bool debug_is_true(struct debug_context *c, const struct debug_node *n, bool *out); /* of a condition */

/* arithmetic.c: on fetched values that are numbers or pointers. */
bool debug_unary(struct debug_context *c, unsigned op, const struct debug_value *a, struct debug_value *out);
bool debug_binary(struct debug_context *c, unsigned op, const struct debug_value *a, const struct debug_value *b,
                  struct debug_value *out);
bool debug_convert(struct debug_context *c, const struct debug_value *v, const struct debug_type *to,
                   struct debug_value *out);
bool debug_truth(struct debug_context *c, const struct debug_value *v, bool *out);

#endif
