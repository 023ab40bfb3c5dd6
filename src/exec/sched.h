/* sched.h - the scheduler's vocabulary: frames, groups, blocks, workers, grids. Internal to exec/.
 *
 * A worker owns some SMs, and one thread at a time runs their blocks; a block is a loop over its warps; a warp is a loop
 * over its splits; a split is what op bodies run. Nothing here has a stack of its own, so a block can be put aside at any
 * time. */
#ifndef LS_EXEC_SCHED_H
#define LS_EXEC_SCHED_H

#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "exec/clock/clock.h"
#include "exec/module.h"
#include "exec/pool.h"
#include "exec/warp.h"

/* Why a split's bodies returned NULL. */
enum warp_stop {
    STOP_SWITCH, /* the split parked, parted, exited or waits: pick another */
    STOP_SPENT,  /* its budget is used up */
    STOP_FAULT,
};

/* What a warp may run before others get a turn, in instructions; polling accesses count extra (access.h). A block that has
 * been put aside because it polled looks again no more than a few times. */
enum { QUANTUM = 65536, QUANTUM_AGAIN = 16 * WARP_POLL_COST };
/* What a poll takes, and what a round of a block does in which all only poll, ns: measured, on a machine of 2025. */
enum { POLL_NS = 20, IDLE_ROUND_NS = 500 };
enum { BARRIERS = 16, CLUSTER_BARRIER = BARRIERS, MAX_WARPS = 32 };
enum { CLUSTER_MOST = 16 }; /* blocks of a cluster */
_Static_assert(CLUSTER_MOST <= (int)CLUSTER_RANKS, "the shared window has room for each of them");

/* One activation of a function by some lanes of a warp. */
struct frame {
    struct frame *caller; /* NULL: the kernel */
    struct frame *next;   /* in the worker's list of free frames of the function */
    struct exec_func *func;
    u8 *regs;
    u32 depth, lanes;              /* lanes that have not returned */
    u64 local_base;                /* where its local memory starts in a lane's */
    const struct warp *filled_for; /* a device function's: whose constants it holds, */
    u64 filled_in;                 /* and of which block (frame.c) */
    u64 *ready;                    /* timed code: the scoreboard (clock.h) */
    u8 *in, *out;                  /* argument areas: the caller's, and the one of the calls it makes; lane-major */
    u32 in_stride, out_stride, ret_at;
};

/* Lanes that have parted and meet at pc: `expected` will come, `arrived` wait there. */
struct group {
    const struct ir_inst *pc;
    struct frame *frame;
    u32 expected, arrived;
    struct group *parent;
    struct group **self, *next; /* the warp's list of live groups */
};

struct child;
struct tier_code;
struct tier_warps;

struct barrier {
    u32 threads;          /* that take part; 0: all of the block */
    u32 arrived;          /* threads that have arrived and not exited since */
    u32 again;            /* threads that had arrived before (bar.arrive), each time that they came again */
    u32 popc, all, any;   /* of the predicates of bar.red */
    u64 latest;           /* the clock of the last warp to arrive (clock.h) */
    u32 lanes[MAX_WARPS]; /* who has arrived */
};

/* Where in a grid a block stands. */
struct block_place {
    u64 linear;
    u32 sm, slot;
};

struct block {
    struct exec_block_info info;
    struct block *next; /* in a list of the worker */
    struct grid *grid;
    struct worker *worker;
    u8 *shared;
    struct frame *frames;           /* one for each warp: the kernel's */
    u8 *memory;                     /* registers, call areas and local memory of all warps */
    const struct ir_const **moving; /* the constants of its frames that change from block to block */
    u32 nmoving;
    u32 live_warps;
    u32 patience;      /* rounds with polls in them before it is put aside, whatever else it did */
    i32 quantum;       /* what a warp may run in a turn (QUANTUM), less while all of the block has only polled */
    u32 open_barriers; /* bit i: some thread has arrived at barrier i */
    u32 exited_threads;
    u32 phases;              /* of mbarriers that ended */
    u32 stuck;               /* rounds in a row in which every thread only waited for an mbarrier */
    u32 launches, handles;   /* device_runtime.c: grids that its threads launched, streams and events that they made */
    u32 *errors;             /* the last error of each thread; NULL: none had one */
    u32 clock_place;         /* on its SM (clock.h) */
    struct weak_block *weak; /* weak.h, or NULL */
    struct flight *flight;   /* bulk copies (sync/flight.h), NULL: there were none yet */
    struct tier_code *tier;  /* the kernel's code, NULL: there is none (exec/tier/tier.h) */
    struct tier_warps *tiered; /* where its warps are in it */
    bool in_code;              /* all of them are; else the interpreter runs the block, and enters code where it can */
    struct cluster *cluster;   /* cluster.h; NULL: it is one by itself */
    u32 rank;                  /* in its cluster */
    struct wgmma_block *wgmma; /* products of warpgroups (wgmma.h), or NULL */
    struct barrier barriers[BARRIERS + 1]; /* the last: the cluster's, with the threads of this block */
    struct warp warps[];
};

/* Nobody runs the worker yet. */
#define NOBODY UINT_MAX
/* Two threads never write to the same 128 bytes: processors fetch cache lines in pairs. */
enum { APART = 128 };

struct worker {
    _Alignas(APART) struct grid *grid;
    unsigned index;
    struct site_cache **sites;  /* by function number, as are the */
    struct exec_counts *counts; /* (NULL: nothing is counted) */
    void *hook_ctx;
    bool ready;             /* it has had a turn */
    struct worker *heir_of; /* one that is done, which it may inherit memory of, or NULL */
    /* crew.c; under the grid's lock while another thread than its own runs the worker's blocks */
    unsigned driver;       /* the index of the worker whose thread runs the blocks of this one, or NOBODY */
    bool has_home;         /* it is some thread's home */
    bool running;          /* one of its blocks is being run: no other thread may touch the worker */
    bool wanted;           /* its own thread waits to have it back */
    bool done;             /* its blocks have ended */
    bool awake;            /* its own thread runs blocks */
    pthread_cond_t wake;   /* of its own thread */
    u64 polling;           /* what its blocks spent on polling since the thread last looked, ns, about */
    struct block *live;    /* blocks put aside, by their numbers */
    struct block **at;     /* where among them the next one to be taken up is linked in */
    u64 last;              /* the number of the last one */
    u64 nlive, nlive_most; /* how many there are, and how many there may be before no more are started */
    u64 idle;              /* turns in a row that brought nothing */
    struct block *free_blocks;
    struct cluster *free_clusters;
    struct frame **free_frames; /* by function number */
    struct group *free_groups;
    struct arena mem;       /* everything above, for the launch */
    u64 next;               /* index of the next block of this worker, or cluster */
    u32 places;             /* of the device's (grid.places) that are this worker's, where a worker has whole SMs */
    u64 spent;              /* instructions, by budgets used */
    u64 help_at;            /* when so many are spent, the grid is to have more threads */
    struct tier_code *tier; /* the kernel's code, once there is one (exec/tier/tier.h) */
    u64 heat, heat_spent;   /* instructions since it last told, and `spent` when it last looked */
    u64 blocks, rng;
    u8 hand[64];                       /* with a seed: the order of its next blocks */
    struct child *prepared, *launched; /* child.h */
    u32 nlaunched, children_refused;
    struct clock_sm **clock_sms; /* by number of the SM, NULL until one is used (clock.h) */
    u64 clock_end;               /* of its last block */
    struct weak_pool *weak;      /* weak.h, or NULL */
    bool weak_ended;
    struct print *print_first, **print_last; /* printf text, in order */
    struct exec_fault behind;                /* warp_forgive: the access that went furthest past an allocation's end, */
    u64 behind_bytes;                        /* by how far (0: none did), */
    u64 behind_block;                        /* and in which block */
    u8 (*nowhere)[WARP_NOWHERE];             /* warp_excuse: a lane's, or NULL */
};

/* Bytes of %reserved_smem_offset_1: what the hardware reserves of a block's shared memory (occupancy rules). */
enum { SCRATCH_BYTES = 1024 };

struct grid {
    const struct exec_launch *launch;
    struct exec_func *kernel;
    struct exec_module *module;
    enum ir_mode mode;
    struct clock_model clock; /* when mode is IR_TIMED */
    u64 nblocks;
    u32 cluster[3], cluster_size;    /* 1: blocks are none, or one by itself */
    u64 nplaced;                     /* blocks, or clusters: what goes to a place, */
    u32 places;                      /* which is an SM, or as many SMs as a cluster has blocks */
    u32 nthreads, nwarps, last_mask; /* of a block; lanes of its last warp */
    unsigned nworkers;
    u32 run; /* blocks, or clusters, in a row that go to the same worker; 0: a worker has whole SMs */
    struct worker *workers;
    void *workers_memory;
    bool may_compile; /* blocks may run in compiled code (exec/tier) */
    u32 shared_bytes, shared_static;
    u32 scratch_at;    /* shared memory that cooperative groups use, behind the kernel's own; 0: none */
    u64 local_bytes;   /* a lane */
    u64 resident;      /* blocks a worker may have under way at once */
    u64 param_address; /* of the copy of the parameters, or 0 */
    u64 workspace;     /* of a cooperative launch, or 0 */
    double deadline;   /* 0: none */
    double began;      /* with several workers */
    fenv_t floats;     /* how the launching thread computes */
    /* what all threads read between blocks, and few write */
    _Alignas(APART) atomic_bool stop;
    atomic_uint awake;   /* threads that run blocks */
    atomic_uint moves;   /* counts what threads do to each other's workers (crew.c) */
    atomic_uint next;    /* the first worker that nobody has begun */
    atomic_uint missing; /* threads that could help and have not been called */
    /* the rest is written by many */
    _Alignas(APART) pthread_mutex_t lock; /* protects fault, next, hands, and who drives which worker */
    struct pool_work help;
    unsigned hands; /* threads that came */
    struct exec_fault fault;
    bool faulted;
    atomic_size_t printed;
    atomic_uint ended; /* weak memory: workers whose blocks are done */
};

/* ---- frame.c ---- */
/* Fills the constants of a kernel's frame, as they are in the block of number 0 on the first SM. */
void frame_fill(struct warp *w, struct frame *f);
/* Finds the constants of a block's frames that change from block to block, and writes those that have changed. */
void frames_find_moving(struct block *b);
void frames_move(struct block *b);
struct frame *frame_push(struct warp *w, struct exec_func *callee, u32 lanes, u32 ret_at);
void frame_leave(struct warp *w, struct frame *f, u32 lanes);

/* ---- warp.c ---- */
void warp_begin(struct warp *w, u32 lanes);
/* Makes the split the running one: the state that bodies see. */
void warp_resume(struct warp *w, struct split *s);
/* Runs the warp until nothing in it can run or its quantum is used up. */
void warp_run(struct warp *w);
/* Slow paths of bodies; each returns the record to go on with, or NULL after setting w->stop. */
const struct ir_inst *warp_part(struct warp *w, const struct ir_inst *pc, u32 taken, const struct ir_inst *target,
                                const struct ir_inst *fall, const struct ir_inst *join);
const struct ir_inst *warp_table(struct warp *w, const struct ir_inst *pc, u8 *regs);
const struct ir_inst *warp_park(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *warp_exit(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *warp_yield(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *warp_call(struct warp *w, const struct ir_inst *pc, u64 handle);
const struct ir_inst *warp_call_each(struct warp *w, const struct ir_inst *pc, const u64 *handles);
const struct ir_inst *warp_return(struct warp *w, const struct ir_inst *pc);
/* Puts the running split to sleep in front of pc. */
void warp_block(struct warp *w, const struct ir_inst *pc, enum split_state state);
struct split *warp_new_split(struct warp *w);
/* Takes a split that waits out of its sleep, behind pc + 1. */
void warp_wake(struct warp *w, struct split *s);
void warp_merge(struct warp *w);
/* Sends lanes that wait at a join on without the others. */
bool warp_release(struct warp *w, u32 lanes);

/* ---- warp_verify.c ---- */
/* Which of the invariants at the head of warp.c does not hold, or NULL: all do. */
const char *warp_verify(const struct warp *w);
/* Stops the program when one does not, in debug builds. */
static inline void warp_verified(const struct warp *w)
{
    const char *broken = LS_DEBUG ? warp_verify(w) : NULL;
    if (broken)
        ls_bug(__FILE__, __LINE__, broken);
}

/* ---- warp_wide.c: warp-wide operations ---- */
enum sync_op {
    SYNC_SHFL_UP,
    SYNC_SHFL_DOWN,
    SYNC_SHFL_BFLY,
    SYNC_SHFL_IDX,
    SYNC_VOTE_ALL,
    SYNC_VOTE_ANY,
    SYNC_VOTE_UNI,
    SYNC_BALLOT,
    SYNC_MATCH_ANY_32,
    SYNC_MATCH_ANY_64,
    SYNC_MATCH_ALL_32,
    SYNC_MATCH_ALL_64,
    SYNC_ADD,
    SYNC_UMIN,
    SYNC_UMAX,
    SYNC_SMIN,
    SYNC_SMAX,
    SYNC_AND,
    SYNC_OR,
    SYNC_XOR,
    SYNC_FMIN,
    SYNC_FMAX,
    SYNC_FMIN_ABS,
    SYNC_FMAX_ABS,
    SYNC_FMIN_NAN,
    SYNC_FMAX_NAN,
    SYNC_FMIN_ABS_NAN,
    SYNC_FMAX_ABS_NAN,
    SYNC_ELECT,
    SYNC_BARRIER,
    SYNC_MATRIX, /* runs in a body of its own, see warp_whole */
};
const struct ir_inst *warp_sync(struct warp *w, const struct ir_inst *pc, u8 *regs, enum sync_op op);
/* For the aligned operations that need all 32 lanes. True when the others wait at pc: they are sent on behind it, and the
 * caller runs the operation for all of them, whose registers are those of one frame. Else the split waits (or faults,
 * when lanes have exited), and the body returns NULL. */
bool warp_whole(struct warp *w, const struct ir_inst *pc);
/* After lanes have exited or arrived: wakes what can now go on. */
void warp_sync_retry(struct warp *w);

/* Whether all that could run in the warp only asked for an mbarrier that is not done. */
bool warp_only_waits(const struct warp *w);

/* ---- barrier.c ---- */
enum barrier_op { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
const struct ir_inst *warp_barrier(struct warp *w, const struct ir_inst *pc, u8 *regs, enum barrier_op op);
/* barrier.cluster: arrive goes on; wait sleeps until all threads have arrived as often as these. */
const struct ir_inst *warp_cluster_arrive(struct warp *w, const struct ir_inst *pc);
const struct ir_inst *warp_cluster_wait(struct warp *w, const struct ir_inst *pc);
void block_exit_barriers(struct block *b, u32 warp, u32 lanes); /* after these have exited */
/* Whoever of the block waits at the barrier goes on, and it is open for the next arrival. */
void block_release(struct block *b, unsigned id);

/* ---- block.c ---- */
struct block *block_new(struct worker *worker);
void block_begin(struct block *b, const struct block_place *at);
/* How many blocks may follow at once one that has just ended, in its place, by block_repeat: its code is straight, and
 * nobody is told of blocks. */
u32 block_repeats(const struct block *b);
/* Runs the block of that place there, and those next to it in x, `most` in all. So many have begun (*ran), and all but the last of
 * them are done. */
enum block_end block_repeat(struct block *b, const struct block_place *at, u32 most, u32 *ran);
/* Compiled code has gone on to a block further on in x. */
void block_follow(struct block *b, u32 x);
/* The order of the warps in a round: launch order, or shuffled anew each round when there is a seed. */
void block_deal_turns(struct block *b, u8 *turns);
enum block_end {
    BLOCK_DONE,
    BLOCK_ASIDE, /* it got on, but now it only polls */
    BLOCK_IDLE,  /* it only polled */
    BLOCK_LONG,  /* it polls again and again, with barriers between: perhaps it waits */
    BLOCK_STOPPED,
};
enum block_end block_run(struct block *b);
/* Gives a block that has ended to another worker, as if it were new; false where a new one costs no more. */
bool block_pass(struct block *b, struct worker *to);

/* ---- fault_record.c: faults ---- */
void grid_fault(struct grid *g, const struct exec_fault *f);
void fault_place(const struct warp *w, const struct ir_inst *pc, unsigned lane, struct exec_fault *f);
/* The access of the grid that went furthest past an allocation's end, if the launch wants to know and nothing faulted. */
void grid_tell_behind(const struct grid *g);
void block_deadlock(struct block *b);
/* False when the grid is to stop: cancelled, faulted elsewhere, or the watchdog's time has come. */
bool block_watch(struct block *b);

/* ---- worker.c ---- */
void worker_init(struct worker *w, struct grid *g, unsigned index);
void worker_knows(struct worker *w, const struct exec_func *f);
/* The number of the next block that it starts; UINT64_MAX: it has started them all. */
u64 worker_next(const struct worker *w);
/* Where the block of that number stands, as the launch order deals blocks. */
struct block_place worker_place_of(const struct grid *g, u64 linear);
/* The place of its next block or cluster, which is no longer the next then; false: there is none. */
bool worker_place(struct worker *w, struct block_place *at);
/* A block that none uses, and giving it back. Where memory runs out, w->mem.oom. */
struct block *worker_block(struct worker *w);
void worker_free_block(struct worker *w, struct block *b);
/* Puts a block that cannot go on, or has not begun, among those that have their turns again. */
void worker_put_aside(struct worker *w, struct block *b);
/* Of the blocks put aside, the one that is taken up next, or NULL. */
const struct block *worker_waiting(const struct worker *w);
/* Starts a block of the worker or goes on with one, until it ends or waits. False: the worker has neither. Where memory
 * runs out it goes to the recovery point of the worker's arena. */
bool worker_step(struct worker *w, bool fresh_first, enum block_end *end);
void worker_no_memory(struct worker *w); /* the fault */

/* ---- crew.c ---- */
/* Runs all blocks of the grid, on as many threads as it has workers at most. */
void crew_run(struct grid *g);
/* The worker has run for long, and its grid has fewer threads than it could use. */
void crew_call(struct worker *w);

/* ---- grid.c ---- */
/* LS_OK, or LS_ERR_LIMIT with the limit's name in f->detail. Looks at device, kernel, grid, block, dynamic_shared. */
enum ls_status grid_check_limits(const struct exec_launch *l, struct exec_fault *f);
u64 worker_random(struct worker *w);
double exec_now(void); /* seconds, monotonic */
unsigned exec_processors(void);

#endif
