/* launcher.h - the one slot through which launches run. A tool that wants to choose launches, to run them under hooks, to
 * run them again or to answer for their faults takes it; src/attach decides who has it. Whoever takes it goes on to what
 * was there: in the end to exec_run_tree and exec_run, which the driver put there. */
#ifndef LS_DRIVER_LAUNCHER_H
#define LS_DRIVER_LAUNCHER_H

#include "driver/driver.h"

/* One launch of the host's while it runs, with the grids that its kernels launch. */
struct driver_launch {
    const struct op *op;
    struct launch_place place;
    bool alone; /* nothing else runs meanwhile: asked for by driver_launcher.alone */
    /* Set by a tool that tells of faults itself: the driver logs none, and ends the context only unless it is spared. */
    bool told, spared;
    enum exec_fault_kind left_out; /* what the first access that did not take place did wrong: it counts as a fault */
};

struct driver_launcher {
    /* Whether a tool wants that launch. Asked when the program makes it, so that what counts is the order of the calls;
     * of a kernel that a kernel launches, or a condition of a graph, when it runs. */
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
