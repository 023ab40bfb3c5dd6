/* init_regs.h - registers that may be read before they are written: what initcheck follows of a function. Internal.
 *
 * A register is *open* if some path to one of its reads does not write it, or if it is computed from an open one.
 * Nothing else is followed; most functions have none, and cost nothing. For each block there is a list of steps, which
 * are done when a warp enters it: open registers become defined, take the state of others, or are used. */
#ifndef LS_CHECK_INIT_REGS_H
#define LS_CHECK_INIT_REGS_H

#include "check/core/tool.h"

enum init_step_kind {
    STEP_DEFINE,  /* d has a value */
    STEP_LOAD,    /* d has a value in the lanes that do the guarded load: its event says which */
    STEP_ANY,     /* d has none if any of the sources has none */
    STEP_ALL,     /* d has none if all of the sources have none (choices, and, or, packing) */
    STEP_USE_ANY, /* a finding if any of the sources has none: addresses, branches */
    STEP_USE_ALL, /* a finding if all of them have none: stored vectors */
};

struct init_step {
    u8 kind;     /* enum init_step_kind */
    bool moves;  /* a mov: what it takes over is used later */
    u32 site, d; /* d: number of an open register */
    u32 n;
    const u32 *from; /* numbers of open registers */
};

struct init_regs {
    struct init_regs *next;
    const struct ir_func *func;
    u32 nopen;                   /* 0: nothing to follow */
    const struct ptx_var **open; /* by number */
    struct init_block_steps {
        const struct init_step *steps;
        u32 n;
    } *blocks;
};

/* Of one function, in mem (whose recovery point is set). */
struct init_regs *init_regs_make(struct arena *mem, const struct ir_func *func);

#endif
