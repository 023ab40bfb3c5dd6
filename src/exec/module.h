/* module.h - linked modules: symbols, variables in device memory, functions lowered on demand. Internal to exec/. */
#ifndef LS_EXEC_MODULE_H
#define LS_EXEC_MODULE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "exec/exec.h"

struct tier_code;

/* A defined function. Its address is the handle that indirect calls use. */
struct exec_func {
    struct exec_module *module;
    const struct ptx_func *src;
    const struct ptx_module *unit;     /* the translation unit it came from */
    struct ir_func *ir;                /* NULL until lowered */
    u32 number;                        /* in the module */
    bool reads_clock;                  /* itself */
    _Atomic(struct tier_code *) codes; /* what is compiled of it, or is to be (exec/tier/tier.c) */
    _Atomic u64 heat;                  /* instructions that it has run, about */
    struct exec_func *same_hash;       /* the next in the module's order */
    atomic_uint warp_ns[IR_NSHAPES];   /* what a warp took in the last launch, 0: none yet (crew.c) */
};

/* Where a variable is. */
struct exec_var {
    const struct ptx_var *src;
    const struct ptx_module *unit;
    u64 address;                /* device address; shared: offset in the block's window */
    bool borrowed;              /* its memory is a sibling module's (exec_module_load_beside) */
    bool is_dynamic;            /* .extern .shared x[]: behind the static shared memory of the kernel */
    u32 place;                  /* shared, at module scope: its position in exec_module.shared */
    struct exec_var *same_hash; /* the next in the module's order */
};

/* Shared variables one behind the other. */
struct shared_layout {
    u64 at;    /* where the next one may begin */
    u64 bytes; /* what they take without gaps */
    VEC(struct ir_shared_var) vars;
};

struct exec_module {
    struct exec_device *device;
    struct arena mem;
    pthread_mutex_t lock; /* protects lowering */
    struct ptx_module **units;
    unsigned nunits;
    struct exec_func *funcs;
    u32 nfuncs;
    struct exec_var *vars;
    u32 nvars;
    struct exec_func **func_index, **kernels; /* by the hash of names; those that are entries, in order */
    struct exec_var **var_index;
    u32 index_mask, nkernels;
    struct exec_var **shared; /* the variables at module scope that are shared, in order */
    u32 nshared;
    u8 *by_functions;            /* by place: some device function names it */
    struct shared_layout common; /* module-scope shared memory that device functions name */
    const char *dynamic; /* the dynamic shared memory that a device function names, by its first variable, or NULL */
    bool all_lowered;
    bool has_clock;          /* some function reads a clock: device functions get timed code (clock.h) */
    bool function_has_clock; /* some device function does, so an indirect call may */
};

/* ---- symbols: module.c ---- */

/* The variable of the linked module that a unit means by its own. */
struct exec_var *module_find_var(struct exec_module *m, const struct ptx_module *unit, const struct ptx_var *v);
/* A variable that is found when the index stands already: last in its list. */
void module_index_late(struct exec_module *m, struct exec_var *v);
bool module_calls(const struct exec_func *f); /* functions, by name or not */

/* ---- shared memory: module_shared.c ---- */

/* What a kernel sees of shared memory. */
struct kernel_shared {
    u64 *places; /* of its variables: those at module scope by exec_var.place, then its locals */
    u8 *named;   /* by exec_var.place: it names the variable */
    struct shared_layout layout;
};

/* Finds the shared variables and places those that device functions name. */
void module_place_shared(struct exec_module *m);
/* Lays out a kernel's variables behind the common part, when it has to do with that. */
struct kernel_shared module_lay_out_shared(struct exec_module *m, const struct exec_func *f);
/* Enters in f->ir what it says of shared memory. */
void module_note_shared(struct exec_module *m, const struct exec_func *f, struct kernel_shared *s);

/* The function of that handle, or NULL when it is none of this module's. */
struct exec_func *exec_module_func(struct exec_module *m, u64 handle);
/* The function that was lowered to this, or NULL. */
struct exec_func *exec_module_func_of(struct exec_module *m, const struct ir_func *ir);

#endif
