/* module.h - linked modules: symbols, variables in device memory, functions lowered on demand. Internal to exec/. */
#ifndef LS_EXEC_MODULE_H
#define LS_EXEC_MODULE_H

#include <pthread.h>

#include "base/vec.h"
#include "exec/exec.h"

/* A defined function. Its address is the handle that indirect calls use. */
struct exec_func {
    struct exec_module *module;
    const struct ptx_func *src;
    const struct ptx_module *unit; /* the translation unit it came from */
    struct ir_func *ir;            /* NULL until lowered */
    u32 number;                    /* in the module */
    bool reads_clock;              /* itself */
    bool uses_common;              /* it, or what it calls, names module-scope shared memory */
    struct exec_func *same_hash;   /* the next in the module's order */
};

/* Where a variable is. */
struct exec_var {
    const struct ptx_var *src;
    const struct ptx_module *unit;
    u64 address;                /* device address; shared: offset in the block's window */
    bool borrowed;              /* its memory is a sibling module's (exec_module_load_beside) */
    bool is_dynamic;            /* .extern .shared x[]: behind the static shared memory of the kernel */
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
    struct shared_layout common; /* module-scope shared memory that device functions name */
    bool all_lowered;
    bool has_clock;          /* some function reads a clock: device functions get timed code (clock.h) */
    bool function_has_clock; /* some device function does, so an indirect call may */
};

/* The function of that handle, or NULL when it is none of this module's. */
struct exec_func *exec_module_func(struct exec_module *m, u64 handle);
/* The function that was lowered to this, or NULL. */
struct exec_func *exec_module_func_of(struct exec_module *m, const struct ir_func *ir);

#endif
