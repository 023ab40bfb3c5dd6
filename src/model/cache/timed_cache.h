/* timed_cache.h - an SM's caches with the time at which each sector is there, for the clock that kernels read.
 *
 * Not the cache of cache.h, which is for counting whole launches: that one has memory for all of its lines and sets that
 * are spread by a hash, and no times. This one costs memory for what was touched, as every SM has a view of L2 of its
 * own, an H200's of half a million lines, and its sets are plain, so that a latency experiment can be reckoned by hand. */
#ifndef LS_MODEL_TIMED_CACHE_H
#define LS_MODEL_TIMED_CACHE_H

#include "base/arena.h"
#include "model/cache/cache.h"
#include "model/latency.h"

/* A line that a cache holds: which of its sectors are there, and since when. */
struct timed_line {
    struct timed_line *next; /* in its set, last used first */
    u64 number;
    u64 ready[CACHE_SECTORS];
    u8 valid;
};

struct timed_cache {
    struct arena *mem;
    struct timed_line **sets; /* NULL: there is no such cache */
    u32 nsets, ways;
};

/* The level-1 cache, and the level-2 cache as this SM alone would fill it. */
struct timed_memory {
    struct timed_cache l1, l2;
};

void timed_memory_init(struct timed_memory *m, struct arena *mem, u64 l1_bytes, u64 l2_bytes);
/* When the sector of line `number` that is asked for at cycle `at` is there. */
u64 timed_load(struct timed_memory *m, const struct latencies *l, u64 at, u64 number, u32 sector, bool past_l1);
/* When it is written: local memory allocates in L1, all else in L2 alone. */
u64 timed_store(struct timed_memory *m, const struct latencies *l, u64 at, u64 number, u32 sector, bool local);

#endif
