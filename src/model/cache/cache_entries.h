/* cache_entries.h - entries of a cache as words, which are copied and compared at once, not field by field. Internal to cache.c and cache_lines.c. */
#ifndef LS_MODEL_CACHE_ENTRIES_H
#define LS_MODEL_CACHE_ENTRIES_H

#include <string.h>

#include "model/cache/cache.h"

enum { STAMP_MOST = UINT16_MAX };

static inline u64 entry_at(const struct cache_line *l)
{
    u64 word;
    memcpy(&word, l, sizeof word);
    return word;
}
static inline struct cache_line entry_of(u64 word)
{
    struct cache_line l;
    memcpy(&l, &word, sizeof l);
    return l;
}
static inline u64 word_of(struct cache_line l) { return entry_at(&l); }

/* Number and stamp, which are compared at once. */
static inline u64 tag_mask(void)
{
    return word_of((struct cache_line){.number = (1ull << CACHE_NUMBER_BITS) - 1, .held = STAMP_MOST});
}

/* With CACHE_KEEPS, a line that was asked for again has a bit that is no sector's: what it keeps is never dirty. */
static inline u64 again_bit(const struct cache *c)
{
    return c->policy & CACHE_KEEPS ? word_of((struct cache_line){.dirty = 8}) : 0;
}

/* Which line leaves a full set with CACHE_KEEPS: any way but the first ones. */
static inline u64 random_after(u64 random) { return random * 6364136223846793005ull + 1442695040888963407ull; }
static inline u32 any_behind(u64 random, u32 kept, u32 ways)
{
    return kept + (u32)((random >> 32) * (ways - kept) >> 32);
}

#endif
