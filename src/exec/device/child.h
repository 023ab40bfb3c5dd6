/* child.h - grids that kernels launch. Internal to exec/.
 *
 * A thread asks for a parameter buffer, fills it and launches it (the device runtime, device_runtime.c). What is
 * launched is queued and runs when the launching grid has ended: first the children of its blocks, block by block and
 * each block's in the order in which it launched them, every child with all of its own children; then those of the tail
 * stream. That is a legal schedule of every program: a stream's launches are in order, a tail launch follows everything
 * else of its grid, a grid is complete when its children are, and nothing may wait for a child from inside a grid. It
 * does not depend on the number of workers. */
#ifndef LS_EXEC_CHILD_H
#define LS_EXEC_CHILD_H

#include <stdatomic.h>

#include "exec/device/launched.h"
#include "exec/exec.h"

struct block;
struct grid;
struct mem;
struct worker;

/* Children nest 24 deep below the host's grid (CUDA C++ Programming Guide, CUDA dynamic parallelism). */
enum { CHILD_DEPTH_MOST = 24, CHILD_PENDING_DEFAULT = 2048 };

/* Rows of bytes that a kernel has copied or filled in a stream. */
struct child_copy {
    u64 to, from, to_pitch, from_pitch, width, height;
    u32 value; /* of a fill */
    bool fill;
};

/* A grid that is being prepared, or is launched and waits for its turn; or a copy. */
struct child {
    struct child *next;
    bool is_copy; /* then there is no kernel, and no parameters */
    struct child_copy copy;
    const struct ir_func *kernel; /* NULL: the launch will say (the first version of the interface) */
    u32 grid[3], block[3], shared;
    u64 params, param_bytes; /* the parameter buffer, device memory; 0: the kernel has none */
    u64 stream;              /* as the kernel named it */
    bool tail;
    u64 by_block; /* linear number of the block that launched it, and which of that block's launches it is */
    u32 order;
    u32 block_id[3], thread_id[3]; /* who launched it */
};

/* What one grid launches. */
struct exec_children {
    struct child **all;         /* in the order in which they run */
    u32 n, copies, refused;     /* n: the copies too */
    u32 limit;                  /* of launches that wait */
    struct exec_launched_by by; /* who launched the grid itself */
    atomic_uint pending;        /* prepared or launched and not yet run, those of the grids above included */
    u64 spent;                  /* instructions of loops of the grid itself, of its busiest worker */
};

/* A place in the queue and, when bytes is not 0, a buffer of that many bytes; NULL with *error (cudaError_t). */
struct child *child_prepare(struct worker *w, u64 bytes, u32 *error);
/* The prepared grid with that buffer, taken out of the prepared ones; NULL: there is none. */
struct child *child_take(struct worker *w, u64 params);
/* Queues it, as launched by that thread of the block. */
void child_queue(struct block *b, struct child *c, const u32 thread[3]);
void child_refuse(struct worker *w);
/* For a grid that `parent` launched it. */
enum ls_status child_copy_run(const struct exec_launch *parent, const struct child_copy *c, struct exec_fault *fault);
/* Hands what a grid's workers queued over to its launch; drops what was only prepared. */
enum ls_status children_collect(struct grid *g);

#endif
