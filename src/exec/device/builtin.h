/* builtin.h - the device functions that no PTX defines: vprintf, malloc, free, __assertfail, the mathematics that
 * clang leaves as calls (__nv_*, in nvmath.h), and the device's part of the CUDA runtime (device_runtime.h). */
#ifndef LS_EXEC_BUILTIN_H
#define LS_EXEC_BUILTIN_H

#include "exec/warp.h"

/* One call by a warp. Lane i's argument block is args + i * arg_stride, its arguments at the offsets at which PTX lays
 * out parameters (each at the next multiple of its own alignment); its result is at rets + i * ret_stride. */
struct builtin_call {
    struct warp *w;
    const struct ir_inst *pc; /* of the call, for faults */
    u32 mask;                 /* the lanes that call */
    const u8 *args;
    u32 arg_stride;
    u8 *rets;
    u32 ret_stride;
};

/* The id of a built-in function by its PTX name, or -1. */
int builtin_find(const char *name);
/* Runs it for every lane of the mask; false after warp_fault. */
bool builtin_run(int id, struct builtin_call *c);

/* The launch's printf buffer takes text; provided by grid.c. */
void exec_print(struct warp *w, const char *text, size_t len);

/* ---- shared by builtin.c, device_heap.c and printf.c ---- */

/* n bytes of device memory at a generic address, as lane `lane` of the warp sees it: copied to `to`, or false after a
 * fault at c->pc. When the kernel goes on after one, the rest is zeros. */
bool builtin_read(struct builtin_call *c, unsigned lane, u64 address, void *to, u64 n);
/* The other way round; read-only memory is a fault. */
bool builtin_write(struct builtin_call *c, unsigned lane, u64 address, const void *from, u64 n);
/* A string of at most max bytes, NUL-terminated and ls_realloc'ed; NULL after a fault (also when memory ran out). */
char *builtin_string(struct builtin_call *c, unsigned lane, u64 address, u64 max);

bool builtin_vprintf(struct builtin_call *c);
bool builtin_malloc(struct builtin_call *c);
bool builtin_free(struct builtin_call *c);

#endif
