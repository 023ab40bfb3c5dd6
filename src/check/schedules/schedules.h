/* schedules.h - with LOCKSTEP_SCHEDULES=K each checked launch is run again K times, from the same memory, in
 * other orders of its warps and blocks; what comes out differently is a finding (check/core/findings.def, SCHEDULE_DIFFERS).
 */
#ifndef LS_CHECK_SCHEDULES_H
#define LS_CHECK_SCHEDULES_H

#include "driver/observe/launcher.h"

extern bool schedules_on;

/* A launch, and the replays behind it if it was checked and nothing was left out. Memory is left as the first run left
 * it. As in struct driver_launcher. */
enum ls_status schedules_launch(struct driver_launch *x, const struct exec_launch *l, exec_run_one *one, void *ctx,
                                struct exec_fault *fault);

#endif
