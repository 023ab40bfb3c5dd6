/* gate.h - stops inside a launch, for a debugger: a function of the owner's is called in front of chosen PTX instructions,
 * on the thread that runs the blocks, while everything else stands still.
 *
 * A function that is gated has `gate_run` in place of the body of each instruction's first record; the body is kept
 * beside it. The gate counts the *tick*, the number of PTX instructions that warps have begun since the launch did, so
 * that a tick is a place in a launch that runs on one worker. It then asks the owner if the site has flags or if the
 * alarm's tick has come, and goes on to the body. Neither the schedule nor a result depends on gates.
 *
 * The gates are the process's: one launch at a time, on one worker (exec_launch.workers = 1), interpreted. Without gates
 * nothing of this costs anything. Not in a function: the final return of a body whose last instruction falls through,
 * and joins, where lanes only wait for each other. */
#ifndef LS_EXEC_GATE_GATE_H
#define LS_EXEC_GATE_GATE_H

#include <stdatomic.h>

#include "exec/exec.h"

struct warp;
struct grid;

/* A warp is about to run an instruction. */
struct gate_place {
    u64 tick; /* instructions begun before it */
    struct warp *w;
    const struct ir_inst *pc;
    const struct ir_func *func;
    u32 site;
    u32 flags; /* of the site */
};

struct gate_owner {
    void *ctx;
    /* False: the grid is abandoned: it ends as if it had been cancelled, with no fault of its own. */
    bool (*at)(void *ctx, const struct gate_place *p);
    /* The grid has a fault, which is about to end it. What faulted is as it was before the access. */
    void (*fault)(void *ctx, struct grid *g, const struct exec_fault *f);
};

/* From gate_open to gate_close. False: no memory. */
void gate_open(const struct gate_owner *o);
/* Puts gates into the kernel and all that it may call, unless they are there, in the code that the launch's hooks
 * want; all grids until gate_close want the same. Before the grid runs. */
bool gate_kernel(const struct exec_launch *l);
void gate_close(void); /* and takes all of them out again */

/* Flags of all sites of gated functions are 0 at first. False: the function is not gated, or has no record from this
 * site on; *site: that of the first record, where the flag now is. */
bool gate_flag(const struct ir_func *func, u32 *site, u32 flags);
void gate_unflag(u32 flags);                /* everywhere */
u32 gate_flags(const struct gate_place *p); /* as they are now */
/* Calls fn for each gated function. */
void gate_each(void (*fn)(void *ctx, const struct ir_func *func), void *ctx);

/* The instruction that was begun last; false: none was. */
bool gate_last(struct gate_place *out);
u64 gate_tick(void);
void gate_set_tick(u64 tick);
/* `at` is called wherever the tick is not below this: 0: everywhere; UINT64_MAX: nowhere but at flags. From any thread. */
void gate_alarm(u64 tick);
u64 gate_alarm_now(void);

/* grid.c: which of a function's codes the launch runs */
enum ir_mode grid_mode(const struct exec_launch *l);

/* fault_record.c: NULL, or the open gates' */
extern void (*gate_fault_told)(struct grid *g, const struct exec_fault *f);

#endif
