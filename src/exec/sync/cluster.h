/* cluster.h - the blocks of a cluster (PTX ISA 2.2.2, 4.4, 9.7.13.3): where each is, and what they share. Internal to exec/.
 *
 * All blocks of a cluster are a worker's, on SMs next to each other. They begin together, are put aside and taken up like
 * blocks that wait for each other in any other way, and their shared memory stays until the last of them has ended.
 *
 * mapa makes addresses of the others' shared memory (warp.h); the window of generic addresses has room for all of them. Such
 * accesses are not told to instruments yet, neither counted nor checked. */
#ifndef LS_EXEC_CLUSTER_H
#define LS_EXEC_CLUSTER_H

#include "exec/sched.h"

struct cluster {
    struct block *blocks[CLUSTER_MOST];
    u32 size, live; /* blocks of it, and those that have not ended */
    u32 idle;       /* turns in a row in which none of its blocks could run */
    struct cluster *next;
};

/* The block of the warp's cluster in whose shared memory this lies. */
struct block *cluster_block_of(const struct warp *w, const void *memory);

/* The block cannot run. True: another of its cluster may yet let it go on. */
bool cluster_may_wait(struct block *b);
/* All threads of the cluster have arrived at its barrier, or exited: all go on. */
void cluster_barrier_try(struct block *b);

/* Begins the worker's next cluster: its first block, the others are put aside. NULL: there is none. */
struct block *cluster_begin(struct worker *w);
/* The block has ended. */
void cluster_leave(struct worker *w, struct block *b);

#endif
