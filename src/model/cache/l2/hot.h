/* hot.h - what places of L2 are asked for, one request after the other: sectors of lines, and slices, told apart by a hash. Internal to
 * cache_l2.c. */
#ifndef LS_MODEL_CACHE_HOT_H
#define LS_MODEL_CACHE_HOT_H

#include "model/cache/l2/cache_l2.h"

enum { SPOT_BITS = 12, SPOTS = 1 << SPOT_BITS };

/* Sectors asked of a sector, or of a slice; of all whose hash is the same. */
struct spot {
    u32 run; /* in which it was last used: what an older one left is not there */
    u32 sectors[HOT_KINDS];
};

static inline u32 spot_of(u64 number) { return (u32)((number * 0xd6e8feb86659fd93ull) >> (64 - SPOT_BITS)); }

static inline void spot_add(struct spot *s, u32 run, enum hot_kind kind, u32 sectors)
{
    if (s->run != run)
        *s = (struct spot){.run = run};
    s->sectors[kind] += sectors;
}

/* Of SPOTS the most of each kind in that run, each sector as many as it stands for; of all kinds together the result. most[] are 0 before. */
u64 spots_most(const struct spot *spots, u32 run, const u32 stands_for[HOT_KINDS], u64 most[HOT_KINDS]);

#endif
