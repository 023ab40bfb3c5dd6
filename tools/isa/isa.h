/* isa.h - which PTX runs? Every form of every row of ops.def is written out as PTX text (forms.c), parsed and lowered
 * as the engine would (probe.c), and what the engine does not run is compared with unsupported.def (main.c). */
#ifndef LS_ISA_H
#define LS_ISA_H

#include "ptx/ptx.h"

/* One instruction of a form. */
struct isa_case {
    enum ptx_op op;
    unsigned form;    /* position in the row's forms */
    const char *text; /* the instruction, without ';' */
    const char *regs; /* declarations of the registers that it uses */
};
typedef void (*isa_fn)(void *ctx, const struct isa_case *c);

/* Calls fn for the instructions of all forms of the row. Every combination of modifiers and types is written, but for
 * those that cannot matter to each other: cache operators, priorities, orders and scopes differ from the form's first
 * choice one at a time. `sparse`: that holds for every modifier and type. */
void isa_each(enum ptx_op op, bool sparse, isa_fn fn, void *ctx);
unsigned isa_forms(enum ptx_op op);

/* NULL when the engine runs it; else why not, in buf. */
const char *isa_probe(const struct isa_case *c, char *buf, size_t size);

#endif
