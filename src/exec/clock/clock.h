/* clock.h - the warp clock: what %clock, %clock64 and %globaltimer read. Internal to exec/.
 *
 * A kernel that reads a clock, or calls what may, runs its timed code: a `tick` record in front of each instruction
 * (ir_tick in ir.h) moves the clock of its warp, and each access says what it touched. Other kernels have no such
 * records, no scoreboard and no caches, and pay nothing.
 *
 * The model is of one warp alone on its scheduler. Instructions issue in the order of the PTX:
 *
 *     issue  = max(the cycle after the last issue, when its operands are ready, when its unit is free)
 *     ready  = issue + latency of the unit, for what it writes; a memory instruction's latency is its access's
 *     free   = issue + warp size x sub-partitions / results a clock an SM, for the unit
 *
 * An instruction that stands for n machine instructions repeats that n times. A clock reads the cycle in which it is
 * issued; it waits for nothing that is under way.
 *
 * Every latency is the GPU file's; every number that comes of it is modelled, and the same in every run. */
#ifndef LS_EXEC_CLOCK_H
#define LS_EXEC_CLOCK_H

#include "exec/warp.h"
#include "model/cache/timed_cache.h"

struct arena;
struct block;
struct frame;
struct grid;
struct worker;
struct clock_sm;

/* The GPU's numbers as the clock needs them; one for a launch. */
struct clock_model {
    struct latencies latency;
    u32 banks, bank_bytes;
    u64 l1_bytes, l2_bytes;
    u32 blocks_per_sm; /* resident at once */
    u64 started;       /* %globaltimer of cycle 0 */
    u64 *timer_floor;  /* the device's: launches that follow each other have timers that do */
};

enum { CLOCK_GROUPS = 8 }; /* groups of cp.async told apart */

struct warp_clock {
    u64 now;    /* the first cycle in which it can issue again */
    u64 issued; /* when the last instruction was issued */
    u64 free[IR_UNIT_COUNT];
    const struct ir_tick *tick;       /* the last instruction */
    u64 stored;                       /* when its last store is in L2 */
    u64 copied, groups[CLOCK_GROUPS]; /* cp.async: of the open group, and of those committed, newest first */
    struct clock_sm *sm;
    u64 local_line; /* the first line of its local memory, for the caches */
};

/* ---- clock_read.c ---- */
/* Whether the function's own instructions read %clock, %clock_hi, %clock64 or %globaltimer. */
bool clock_is_read(const struct ptx_func *f);

/* ---- clock.c ---- */
void clock_grid_begin(struct grid *g, u32 blocks_per_sm);
void clock_grid_end(struct grid *g);
void clock_block_new(struct block *b);
void clock_block_begin(struct block *b);
void clock_block_end(struct block *b);
/* A fresh scoreboard for a frame of a function. */
void clock_frame(struct worker *wk, struct frame *f);

void clock_issue(struct warp *w, const struct ir_inst *pc, const u8 *regs);
u64 clock_cycles(const struct warp *w);
u64 clock_nanoseconds(const struct warp *w);

/* A warp arrives at a barrier; those that waited go on when the last one has come. */
void clock_arrive(const struct warp *w, u64 *latest);
void clock_release(struct warp *w, u64 latest);

/* ---- clock_memory.c: how long an access takes ---- */
void clock_access(struct warp *w, const struct exec_access *a);

/* What an SM has of its own. */
struct clock_sm {
    struct timed_memory memory;
    u64 *until; /* [blocks_per_sm]: when the block in each place ends; UINT64_MAX while it runs */
};

#endif
