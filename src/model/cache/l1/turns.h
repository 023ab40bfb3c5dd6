/* turns.h - whose turn it is at an SM whose warps have much to do between two accesses. Internal to cache_l1.c.
 *
 * A scheduler issues for the warps of the oldest block first (model/replay/sm/sm.c). Where its warps leave it no cycle, blocks that began
 * together come apart: the oldest goes on as if it were alone, what it loaded has left L1 when the youngest wants it, and SMs no longer ask L2 for the
 * same. So there an access of each warp in turn is the wrong order. Here each scheduler has a clock: a turn takes it the cycles that
 * a warp needs for what it does between two accesses, and a load's warp comes back when its line is there. Barriers of the block hold warps, and
 * a line that is on its way holds all that want it: so blocks that wait for memory stay together. */
#ifndef LS_MODEL_CACHE_TURNS_H
#define LS_MODEL_CACHE_TURNS_H

#include "model/cache/traffic.h"

enum { TURNS_SCHEDULERS = 4, TURNS_FLYING = 256 };
/* Cycles until what L1 has is there. */
#define TURNS_NEAR 60.0

struct turn {
    double ready; /* when it may have the scheduler; INFINITY: it waits at a barrier, or is over */
    double came;  /* to the barrier */
    double last;  /* when it had it */
    u32 block, scheduler;
};

struct turns {
    struct turn *of; /* by stream, of which those of a block stand together, blocks by age; the caller's */
    u32 n;
    double pace;                                           /* cycles that a scheduler needs for a turn */
    double free[TURNS_SCHEDULERS], next[TURNS_SCHEDULERS]; /* next: of the warp that is best; INFINITY: none */
    u32 best[TURNS_SCHEDULERS];
    u64 random;
    struct flying {
        u64 line;
        double there;
    } flying[TURNS_FLYING]; /* lines that were missed last */
};

/* Whether n warps that each keep a scheduler for `pace` cycles between two accesses leave it none. */
bool turns_are_scarce(u32 n, double pace);

/* n streams, in of[n]. seed: what tells SMs apart. */
void turns_begin(struct turns *t, struct turn *of, struct requests *const *streams, u32 n, double pace, u64 seed);
/* The stream that is next; UINT32_MAX: none. */
u32 turns_next(const struct turns *t);
/* Stream k has had its turn. waits: for the line; missed: L1 had it not. */
void turns_took(struct turns *t, u32 k, bool waits, u64 line, bool missed);
/* It is at its end, or at a barrier that it may not pass. */
void turns_stop(struct turns *t, struct requests *const *streams, u32 k);

/* Whether it waits at a barrier, so many of which its block has passed. */
static inline bool turns_waits(const struct requests *r) { return request_barrier(r->at[r->next]) > r->passes; }
/* Of a block's n streams: where all that are not at their end wait, those at the earliest barrier go on. False: one does not wait. */
bool turns_pass(struct requests *const *streams, u32 n);

#endif
