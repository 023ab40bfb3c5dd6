/* running.h - whose turn it is on this thread: for hooks that are not told (enter, diverge). */
#ifndef LS_EXEC_RUNNING_H
#define LS_EXEC_RUNNING_H

#include "exec/exec.h"

struct exec_running {
    const struct exec_block_info *block;
    u32 warp;
};
extern _Thread_local struct exec_running exec_running;

#endif
