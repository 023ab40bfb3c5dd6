/* launched.h - who launched a grid that a kernel launched. */
#ifndef LS_EXEC_LAUNCHED_H
#define LS_EXEC_LAUNCHED_H

#include "exec/exec.h"

/* Streams with a meaning of their own, as CUDA numbers them (driver_types.h). */
enum { LAUNCHED_PER_THREAD = 2, LAUNCHED_TAIL = 3, LAUNCHED_FORGOTTEN = 4 };

/* A thread of a block, both by linear number, into a stream of that block. */
struct exec_launched_by {
    u64 block, stream;
    u32 thread;
};

/* Of a grid that exec_run_tree runs, of depth > 0. */
struct exec_launched_by exec_launched_by(const struct exec_launch *l);

#endif
