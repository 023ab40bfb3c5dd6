/* l1.h - the first-level cache of an SM itself: which sectors it holds, and what being asked for some does to it. Its rules
 * stand in traffic.h. Two use it: the model of all caches, for every SM of a launch (cache_l1.h), and the replay of one
 * SM (model/replay/sm/memory.c). */
#ifndef LS_MODEL_CACHE_L1_ALONE_H
#define LS_MODEL_CACHE_L1_ALONE_H

#include "model/cache/cache.h"
#include "model/cache/traffic.h"

/* Room for so many lines is what a cache of so many bytes needs. */
static inline u64 l1_lines(u64 bytes) { return bytes / CACHE_LINE; }
/* Empty, of that many bytes. False: no memory. */
bool l1_empty(struct cache *l1, u64 bytes);
/* Of the same size, empty again. */
void l1_forget(struct cache *l1);
/* Of the lines that it holds, one in `before`, from now on one in `after`, twice that: half as large, with those of its lines that stay. Its lines have
 * the numbers that they have among those (sample.h). False: no memory, and it is as before. */
bool l1_thin(struct cache *l1, u32 before, u32 after);
/* A line is asked for some of its sectors: those that were there. What is read or written is there from now on, but for what
 * goes past it. */
u32 l1_ask(struct cache *l1, enum traffic_kind kind, u64 number, u32 sectors);

#endif
