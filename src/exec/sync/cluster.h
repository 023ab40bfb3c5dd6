/* cluster.h - the blocks of a cluster (PTX ISA 2.2.2, 4.4, 9.7.13.3): where each is, and what they share. Internal to exec/.
 *
 * All blocks of a cluster are a worker's, on SMs next to each other. They begin together, are put aside and taken up like
 * blocks that wait for each other in any other way, and their shared memory stays until the last of them has ended.
 *
 * mapa makes addresses of the others' shared memory (warp.h); the window of generic addresses has room for all of them. Such
 * accesses have events of their own (far_access, far_order in exec.h). An access to a block that has ended is a fault. */
#ifndef LS_EXEC_CLUSTER_H
#define LS_EXEC_CLUSTER_H

#include "exec/sched.h"

struct cluster {
    struct block *blocks[CLUSTER_MOST];
    u32 size, live; /* blocks of it, and those that have not ended */
    u32 ended;      /* by rank: a bit each */
    u32 idle;       /* turns in a row in which none of its blocks could run */
    struct cluster *next;
};

/* The block of the warp's cluster in whose shared memory this lies. */
struct block *cluster_block_of(const struct warp *w, const void *memory);

/* Why cluster_memory has nothing there, in words. */
void cluster_describe(const struct warp *w, u64 offset, char *buf, size_t n);
/* The block of the cluster that the offset is in has ended. */
bool cluster_has_ended(const struct warp *w, u64 offset);

/* mbarriers of another block, at these offsets of its memory; and a wait for the cluster's barrier. */
void cluster_tell_mbarrier(struct warp *w, const struct ir_inst *pc, enum exec_order_op op, unsigned lane,
                           const struct block *home, u64 offset, bool bulk);
void cluster_tell_wait(struct warp *w, const struct ir_inst *pc);

/* The block cannot run. True: another of its cluster may yet let it go on. */
bool cluster_may_wait(struct block *b);
/* All threads of the cluster have arrived at its barrier, or exited: all go on. */
void cluster_barrier_try(struct block *b);

/* Begins the worker's next cluster: its first block, the others are put aside. NULL: there is none. */
struct block *cluster_begin(struct worker *w);
/* The block has ended. */
void cluster_leave(struct worker *w, struct block *b);

#endif
