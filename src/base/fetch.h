/* fetch.h - the host's caches are asked for words that are soon written or read. (Inlined always: GCC takes a function that only fetches for one that
 * does nothing, and leaves out its calls.) */
#ifndef LS_BASE_FETCH_H
#define LS_BASE_FETCH_H

#include "base/base.h"

enum { FETCH_WORDS = 8 }; /* in a line of the host's caches */

static inline __attribute__((always_inline)) void fetch_to_write(const u64 *at, u64 words)
{
    for (u64 k = 0; k <= words; k += FETCH_WORDS)
        __builtin_prefetch(at + k, 1);
}

static inline __attribute__((always_inline)) void fetch_to_read(const u64 *at, u64 words)
{
    for (u64 k = 0; k <= words; k += FETCH_WORDS)
        __builtin_prefetch(at + k);
}

#endif
