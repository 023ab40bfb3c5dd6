/* weak.h - weak memory: stores to global memory that others see late and in any order, and loads that read what was
 * there before (LOCKSTEP_MEMORY=weak).
 *
 * A store goes down three levels:
 *
 *     warp's buffer ──► block's buffer ──► memory
 *       fence.cta, bar    fence.gpu, fence.sys
 *
 * Entries sink in an order and at times that the seed chooses, but no entry passes an older one that it overlaps. A
 * load sees its own warp's entries, then its block's, then memory. So nobody ever sees a location go backwards, and
 * what somebody has seen, all below it can see too: a fence that empties the two buffers above memory orders all that
 * its thread did or saw (cumulativity), and a barrier that empties the warps' buffers hands it on to the block's.
 *
 * A plain load may also read what its block remembers of memory: the 16 bytes around an address as an earlier load
 * found them (the first-level cache, which is not coherent). A fence or an acquire at GPU or system scope forgets all
 * of it; a volatile, relaxed or atomic access, or a store of the block's that reaches memory, forgets those bytes.
 *
 * Only what lowering took from the weak bodies (bodies_weak.c) comes here; without weak memory nothing is allocated and
 * no body asks. A block's buffers belong to its worker's thread: no locks. */
#ifndef LS_EXEC_WEAK_H
#define LS_EXEC_WEAK_H

#include "base/base.h"

struct block;
struct warp;
struct worker;
struct weak_buffer;

/* Makes the worker's or block's part of it; block_new calls the second when the worker has the first. */
void weak_worker_begin(struct worker *wk);
void weak_block_new(struct block *b);
/* All that is left of finished blocks sinks to memory. */
void weak_worker_end(struct worker *wk);
/* The block is done: its stores outlive it, and sink while other blocks of the worker run. */
void weak_block_end(struct block *b);
/* Time passes: a round of the block's warps is over, or (aside) the block, which only polls, is put aside. Each time a
 * part of the pending stores sinks, so a waiting thread sees the store in the end. */
void weak_round(struct block *b, bool aside);
/* Time passes: the warp is about to access memory. */
void weak_tick(struct warp *w);

/* What a lane stores, or 16 bytes of it: size is 1, 2, 4, 8 or 16, and `at` a multiple of it. */
void weak_store(struct warp *w, u64 at, const void *value, unsigned size);
/* Turns n bytes that were read from memory into what the warp sees there. fresh: not what the block remembers. The
 * bytes lie in 16 of which the first is at a multiple of 16. */
void weak_load(struct warp *w, u64 at, void *bytes, unsigned n, bool fresh);
/* What is pending of such bytes sinks to memory, in front of an atomic operation there. */
void weak_settle(struct warp *w, u64 at, unsigned n);

/* What the warp stored becomes visible to its block (fence.cta, barriers). */
void weak_fence_block(struct warp *w);
/* The block forgets what it remembers of memory (acquires at GPU or system scope). */
void weak_acquire(struct warp *w);
/* What the warp stored or its block can see becomes visible to all, and the other way round (fence.gpu, fence.sys). */
void weak_fence(struct warp *w);

#endif
