/* replay.h - schedules: with LOCKSTEP_SCHEDULES=K each checked launch is run again K times, from the same memory, in
 * other orders of its warps and blocks; what comes out differently is a finding (check/core/findings.def, SCHEDULE_DIFFERS).
 */
#ifndef LS_DRIVER_REPLAY_H
#define LS_DRIVER_REPLAY_H

#include "driver/driver.h"

/* Reads LOCKSTEP_SCHEDULES and LOCKSTEP_SCHEDULES_MEMORY; true: launches are replayed. */
bool replay_init(void);

/* Launches wait for their end then, so that the host touches no memory meanwhile. */
extern bool replay_on;

struct replay_wish {
    bool alone; /* memory_run_begin_alone said so */
    /* Looked at after the run: whether a grid of it was checked, and the accesses that were left out. */
    const bool *checked;
    const enum exec_fault_kind *left_out;
    const struct host_call *call; /* that made the launch, or NULL */
};

/* exec_run_tree(l, run, ctx, fault), and the replays behind it if it was checked and nothing was left out. Memory is
 * left as that run left it. Between memory_run_begin_alone and memory_run_end. */
enum ls_status replay_tree(const struct exec_launch *l, exec_run_one *run, void *ctx, const struct replay_wish *wish,
                           struct exec_fault *fault);

#endif
