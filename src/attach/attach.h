/* attach.h - the observers of the driver in libcuda.so.1. This directory is the library's root: it looks which instruments
 * the settings want, adds them as observers (driver/observe/observe.h) in this order, and gives the launcher
 * (driver/observe/launcher.h) to one of them:
 *
 *     trace     LOCKSTEP_TRACE: a line a call; from the library's load on
 *     timeline  LOCKSTEP_TIMELINE: what was asked for, in order
 *     debugger  LOCKSTEP_DEBUG: src/debug/agent; it takes the launcher, and the two below are not there, but for tools of
 *               src/check that the debugger asks for
 *     checks    LOCKSTEP_CHECK: src/check; it takes the launcher
 *     profile   LOCKSTEP_SESSION: records of launches, src/meter; it takes the launcher when nothing is checked
 */
#ifndef LS_ATTACH_ATTACH_H
#define LS_ATTACH_ATTACH_H

#include "driver/observe/launcher.h"

void trace_start(void);                  /* before cuInit */
void timeline_start(const char *folder); /* the others: when there are devices */

/* Which launches are wanted (LOCKSTEP_KERNEL and the other filters): for profile_run, and for the checks. */
void profile_start(bool checking);
bool profile_wants(const char *kernel, struct launch_place place);
bool profile_on(void); /* launches are recorded */
/* One grid: wanted ones are run under the meter and recorded. As in struct driver_launcher. */
enum ls_status profile_grid(struct driver_launch *x, CUfunction f, bool wanted, struct exec_launch *l,
                            struct exec_fault *fault);
/* A launch with all that its kernels launch: its time is then that of all. */
enum ls_status profile_launch(struct driver_launch *x, const struct exec_launch *l, exec_run_one *one, void *ctx,
                              struct exec_fault *fault);

/* Exported, and found by dlsym like those of driver/memory/own.h. 0: launches from now on are recorded without the modelled
 * metrics; else as LOCKSTEP_CACHES says. While nothing runs. */
#pragma GCC visibility push(default)
void lockstep_driver_model(int on);
#pragma GCC visibility pop

#endif
