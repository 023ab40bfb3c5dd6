/* cache_sets.h - the sets of some lines at once (cache.h has the rule). */
#ifndef LS_MODEL_CACHE_SETS_H
#define LS_MODEL_CACHE_SETS_H

#include "model/cache/cache.h"

/* cache_set_of the lines whose numbers stand in the lowest CACHE_NUMBER_BITS of word[0..n), of a cache that has sets and is not CACHE_HASHED. */
enum { CACHE_SETS_MOST = 64 };
void cache_sets(u32 *set, const struct cache *c, const u64 *word, u32 n);

#endif
