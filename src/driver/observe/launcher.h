/* launcher.h - the one slot through which launches run. A tool takes it to choose launches, to run them under hooks or
 * again, or to report their faults itself; src/attach decides which tool has it. The tool calls what was in the slot
 * before: in the end exec_run_tree and exec_run, which the driver put there. */
#ifndef LS_DRIVER_LAUNCHER_H
#define LS_DRIVER_LAUNCHER_H

#include "driver/driver.h"

/* One launch of the host's while it runs, with the grids that its kernels launch. */
struct driver_launch {
    const struct op *op;
    struct launch_place place;
    int carveout; /* percent that the host's grid asks for, as its function or its launch had it then; -1: default */
    bool alone;   /* nothing else runs meanwhile (driver_launcher.alone) */
    /* Set by a tool that reports faults itself: the driver logs none, and leaves the context usable if it is spared. */
    bool told, spared;
    enum exec_fault_kind left_out; /* the first access that was left out: its fault is the launch's result */
};

struct driver_launcher {
    /* Whether a tool wants that launch. Asked when the program makes the launch, so that the order of the calls counts;
     * for kernels that kernels launch, and in conditional nodes of graphs, when they run. */
    bool (*wants)(const char *kernel, struct launch_place place);
    /* Runs one grid by exec_run, after setting l->hooks if it likes. f: its function; wanted: wants' answer. */
    enum ls_status (*grid)(struct driver_launch *x, CUfunction f, bool wanted, struct exec_launch *l,
                           struct exec_fault *fault);
    /* Runs the launch: exec_run_tree(l, one, ctx, fault), perhaps several times. */
    enum ls_status (*launch)(struct driver_launch *x, const struct exec_launch *l, exec_run_one *one, void *ctx,
                             struct exec_fault *fault);
    bool alone; /* launches run alone, and their callers wait for them */
};

extern struct driver_launcher driver_launcher; /* set before the first launch */

#endif
