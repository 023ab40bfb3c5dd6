/* warp.h - the state of a running warp, as op bodies and the scheduler see it. Internal to exec/.
 *
 * Vocabulary: a *split* is a set of lanes of a warp that run together (same pc, same frame); a *group* is a set of
 * lanes that have parted and will meet again at one pc; a *frame* is the register file of one activation of a function.
 * The bodies see one running split: `mask` is its lanes, `regs` its frame's registers. */
#ifndef LS_EXEC_WARP_H
#define LS_EXEC_WARP_H

#include "exec/exec.h"
#include "ir/ir.h"

#define FULL_MASK 0xffffffffu

struct worker;
struct block;
struct frame;
struct split;
struct group;
struct weak_buffer;
struct warp_clock;

/* The last allocation that an instruction touched, one a worker and memory site: [lo, hi). */
struct site_cache {
    u64 lo, hi;
    bool writable;
};

enum split_state { SPLIT_NONE, SPLIT_READY, SPLIT_SPENT, SPLIT_SYNC, SPLIT_BARRIER };

struct split {
    const struct ir_inst *pc;
    struct frame *frame;
    struct group *group; /* the innermost, or NULL */
    u32 mask;
    u8 state;                     /* enum split_state */
    u8 barrier;                   /* SPLIT_BARRIER: which */
    u8 sync;                      /* SPLIT_SYNC: enum sync_op */
    const struct ir_inst *waited; /* the mbarrier wait that failed when it last asked, or NULL */
    u32 asking;                   /* lanes that wait there still: it has not run since */
    u32 answered; /* lanes that waited there until their phase ended, which is to be told (mbarrier.c) */
};

struct warp {
    u32 mask;        /* lanes of the running split; never 0 while a body runs */
    i32 budget;      /* backward branches and polling accesses left before the warp yields */
    u32 guard_mask;  /* the split's mask outside a predicated instruction */
    u32 exited;      /* lanes that have exited, or never existed in a ragged last warp */
    u8 *regs;        /* of the running frame */
    u8 *local;       /* local memory: lane i's is local + i * local_bytes */
    u64 local_bytes; /* a lane */
    u8 *shared;      /* the block's shared memory */
    u64 shared_bytes;
    u64 shared_at;                   /* where it begins in .shared: cluster_base of the block's rank */
    u64 shared_window, local_window; /* generic base addresses; of the block's own shared memory */
    struct site_cache *sites;        /* the worker's, indexed by the running function's site */
    const struct exec_hooks *hooks;  /* may be NULL */
    void *hook_ctx;
    struct exec_counts counts;  /* of the running function; NULL in it: hooks are told */
    const struct ir_func *func; /* of the running frame */
    struct mem *mem;
    struct frame *frame;
    struct block *block;
    struct worker *worker;
    u32 index;                          /* in the block */
    const struct exec_block_info *info; /* the block's */
    struct warp_clock *clock;           /* clock.h; NULL unless the kernel reads one */
    struct weak_buffer *weak;           /* weak memory: its stores that others do not see yet; NULL without */
    /* the scheduler's own (sched.h) */
    const struct ir_inst *join; /* where the running split meets its group again, or NULL */
    struct split *split;        /* the running one */
    struct group *groups;       /* those alive */
    struct split splits[IR_LANES];
    u32 nsplits;           /* splits[nsplits..] have never been used since the block began */
    u32 ready, blocked;    /* how many splits can run, and how many wait */
    u8 stop;               /* enum warp_stop: why the bodies returned NULL */
    u8 polled;             /* since the quantum began, a volatile or atomic access (POLLED_MEMORY) or a sleep
                                   (POLLED_TIME): it may wait for other lanes */
    bool tired;            /* a split used a whole budget since the quantum began */
    u32 members[IR_LANES]; /* the member mask of each lane that waits in a warp-wide operation */
};

/* ---- what a body may do besides its lane loop ---- */

/* Records a fault at pc, of the given lane, and stops the grid; returns NULL, which the body returns. */
const struct ir_inst *warp_fault(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind, unsigned lane,
                                 u64 address, u64 size, u8 space, bool write, bool atomic);
/* A lane's access of memory is such a fault. NULL when that ends the kernel, as above. When the launch's fault hook lets it
 * go on: WARP_NOWHERE bytes of zeros that the lane may use instead, its own until it faults again. */
enum { WARP_NOWHERE = 32 }; /* the widest access of a lane */
u8 *warp_excuse(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind, unsigned lane, u64 address,
                u64 size, u8 space, bool write, bool atomic);

/* Whether a lane's access of device memory, which mem_range does not allow, takes place nevertheless, because a GPU
 * would let it pass (exec_launch.behind). It is aligned. */
bool warp_forgive(struct warp *w, const struct ir_inst *pc, unsigned lane, u64 address, u64 size, u8 space, bool write,
                  bool atomic);

/* Tells of memory that a lane touches without the load-store unit (exec_access.uncounted), which may be done. address: as
 * in events. */
void warp_touch(struct warp *w, const struct ir_inst *pc, unsigned lane, u8 space, enum exec_access_op op, u64 address,
                u64 bytes, bool async);

/* The same of another block's shared memory, asynchronous. */
struct block;
void warp_touch_far(struct warp *w, const struct ir_inst *pc, unsigned lane, enum exec_access_op op,
                    const struct block *home, u64 offset, u64 bytes);

/* Addresses of shared memory are as on an H200 (tests/hw/h200/clusters.txt): the block's rank in the cluster times
 * CLUSTER_STRIDE, and an offset; the block's own addresses, too. An *offset* counts from the block's own memory, so that of
 * another block's is CLUSTER_STRIDE or more, modulo 2^64. */
enum { CLUSTER_RANKS = MEM_SHARED_BLOCKS - 1 };
#define CLUSTER_STRIDE ((u64)MEM_WINDOW_BYTES)
static inline u64 cluster_base(u32 rank)
{
    return (rank < CLUSTER_RANKS ? rank : CLUSTER_RANKS /* which no cluster has */) * CLUSTER_STRIDE;
}
static inline u64 cluster_address(u64 address, u32 rank) { return address % CLUSTER_STRIDE + cluster_base(rank); }
static inline u32 cluster_owner(u64 offset, u32 own)
{
    const u64 rank = (offset + cluster_base(own)) / CLUSTER_STRIDE;
    return rank <= CLUSTER_RANKS ? (u32)rank : CLUSTER_RANKS + 1;
}
/* Where the window of generic addresses begins that has the shared memory of all blocks of the cluster. */
static inline u64 warp_cluster_window(const struct warp *w) { return w->shared_window - w->shared_at; }
static inline bool warp_in_shared(const struct warp *w, u64 generic)
{
    return generic - warp_cluster_window(w) < MEM_SHARED_WINDOW_BYTES;
}
/* The rank of the warp's block, and whether there are other blocks in its cluster. */
u32 cluster_rank(const struct warp *w);
bool cluster_has_others(const struct warp *w);
/* Where an offset in shared memory's window leads in another block of the cluster; NULL: nowhere, or not so many bytes. */
u8 *cluster_memory(struct warp *w, u64 offset, u64 bytes);
/* An access of shared memory of other blocks, by such offsets, is told: to each block's its own. */
void cluster_tell(struct warp *w, const struct exec_access *a);

/* The copy of the kernel's parameters in generic memory: its bytes, and where the first is; 0: nobody took an address of it. */
u64 warp_parameters(const struct warp *w, u64 *first);

/* Accounts for an access that may be a poll (volatile, atomic): a warp that spins must yield soon. */
enum { WARP_POLL_COST = 512 };
enum { POLLED_MEMORY = 1, POLLED_TIME = 2 };
static inline void warp_poll(struct warp *w)
{
    w->budget -= WARP_POLL_COST;
    w->polled |= POLLED_MEMORY;
}

/* The PTX instruction of a record. */
static inline const struct ptx_inst *warp_inst(const struct warp *w, const struct ir_inst *pc)
{
    return &w->func->src->insts[pc->site];
}

/* The bodies of one instruction-set level, by name; see bodies.h. */

#endif
