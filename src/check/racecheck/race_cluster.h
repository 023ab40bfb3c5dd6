/* race_cluster.h - what is remembered of the blocks of a cluster, to find races in each other's shared memory, blocks that
 * exit too early, and barriers of the cluster that are used wrongly. Internal.
 *
 * Order between blocks is kept coarsely: a block is one clock, which moves on when something of it is handed on, and knows
 * of each other block up to which tick that one's accesses are ordered before its own. What is taken as ordered, though PTX
 * does not promise it: all that a block did before one of its threads handed something on, for all threads of the block that
 * takes it. It is handed on by
 *
 *     barrier.cluster        to all
 *     an mbarrier            by who arrives there, or whose bytes do, to the block whose object it is
 *     fences                 of cluster scope or wider, acquires and releases: to all that fence later
 *
 * Within a block all is ordered here: that is race_shared.h's. */
#ifndef LS_CHECK_RACE_CLUSTER_H
#define LS_CHECK_RACE_CLUSTER_H

#include "check/racecheck/race_site.h"

enum { CLUSTER_RANKS = 16, CLUSTER_WARPS = 32, CLUSTER_CHANNELS = 64, CLUSTER_WORD = 4 };

/* One access of some bytes of a word. clock 0: none. */
struct cluster_stamp {
    u32 clock;
    u16 site;                   /* race_site.h */
    u8 rank, warp, lane, bytes; /* a bit each */
};

struct cluster_word {
    struct cluster_stamp wrote, read, read2; /* read2: the last of another block than read's */
};

struct cluster_state;

/* A block under way. */
struct cluster_block {
    const struct exec_block_info *info; /* NULL: free */
    struct cluster_block *next;
    struct cluster_state *cluster;
    u32 rank, clock;
    u32 releases, joined; /* of the cluster's barrier: told, and taken into account */
    u32 knows[CLUSTER_RANKS];
    u32 channels[CLUSTER_CHANNELS][CLUSTER_RANKS]; /* mbarriers by a hash of their offset: what waits there */
    u32 arrived[CLUSTER_WARPS];                    /* at the cluster's barrier, and have not waited */
    struct cluster_stamp users[CLUSTER_RANKS];     /* the last that each other block did here */
    u32 nwords;
    struct cluster_word *words;
};

struct cluster_state {
    struct cluster_state *next; /* free ones */
    u64 first;                  /* the number of its first block */
    u32 live;
    struct cluster_block *blocks[CLUSTER_RANKS];
    u32 fenced[CLUSTER_RANKS];
};

/* One worker's. */
struct race_cluster {
    struct race_site_index index;
    struct cluster_block *all, *now;
    struct cluster_state *free;
};

/* ---- race_cluster_found.c ---- */

/* An access of a lane, and the block whose memory it is of. */
struct cluster_event {
    struct check_worker *w;
    const struct exec_access *a;
    const struct cluster_block *me, *home;
    struct cluster_stamp stamp; /* its own */
    u32 flags;                  /* of its site */
};

void race_cluster_race(const struct cluster_event *e, const struct cluster_stamp *other);
/* The block has ended, and the stamp is of one that may still have been using its memory. */
void race_cluster_exit(struct check_worker *w, const struct cluster_block *b, const struct cluster_stamp *user);
/* An access that came too late. */
void race_cluster_late(struct check_worker *w, const struct exec_fault *f);
/* The lanes use the cluster's barrier wrongly. */
void race_cluster_barrier(struct check_worker *w, const struct exec_block_info *b, const struct ir_func *func, u32 site,
                          u32 warp, u32 lanes, bool waits);

#endif
