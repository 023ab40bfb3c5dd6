/* slices.h - which slices of L2 an SM has asked. When it waits until all that it asked for is done, at a fence or at the end of a launch, it asks
 * those slices once more.
 *
 * As many as an H200 has: of a KiB the first and the third 256 bytes are in one, the others in another. What is contiguous is in all of them in
 * turn: 16 KiB are in 32, 64 KiB in all; a MiB apart, in any (tests/hw/h200/slices.csv). */
#ifndef LS_MODEL_CACHE_SLICES_H
#define LS_MODEL_CACHE_SLICES_H

#include "model/cache/cache.h"

enum { SLICE_PAIRS = 47, SLICES_IN_TURN = 7 };

struct slices {
    u64 asked[2];  /* a bit each: since the SM last waited */
    u64 before[2]; /* until then */
};

static inline u64 slices_mixed(u64 x) { return cache_mixed(x * CACHE_FACTOR) >> 32; }

/* number: of a line. */
static inline u32 slice_number(u64 number)
{
    const u64 kib = number >> 3, pair = (kib + slices_mixed(kib >> SLICES_IN_TURN)) % SLICE_PAIRS;
    return (u32)(2 * pair + ((number >> 1 ^ slices_mixed(kib)) & 1));
}

static inline bool slices_all(const struct slices *s)
{
    return !~s->asked[0] && !(~s->asked[1] << (128 - 2 * SLICE_PAIRS));
}

static inline void slices_ask(struct slices *s, u64 number)
{
    const u32 slice = slice_number(number);
    s->asked[slice / 64] |= 1ull << slice % 64;
}

static inline u32 slices_count(const u64 set[2])
{
    return (u32)(__builtin_popcountll(set[0]) + __builtin_popcountll(set[1]));
}

/* Whether the SM has ever waited for something. */
static inline bool slices_settled(const struct slices *s) { return s->before[0] | s->before[1]; }

/* The SM has waited. */
static inline void slices_settle(struct slices *s)
{
    for (u32 k = 0; k < 2; k++) {
        s->before[k] |= s->asked[k];
        s->asked[k] = 0;
    }
}

#endif
