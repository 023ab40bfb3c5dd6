/* places.c - see places.h. */
#include "model/cache/l2/places.h"

enum {
    BEGINS = 8, /* blocks that go to one GPC before all others */
    BEGINNER = 4,
    TOGETHER = 2, /* later blocks that stay neighbours */
};

/* The last SM of each GPC, one more, where all have a block; those of the first eight blocks aside. Of an H200's 132 SMs six GPCs have
 * 16 and two 18. */
static const u32 ends[PLACE_GROUPS] = {16, 32, 50, 68, 76, 92, 108, 124};

/* GPCs in the order in which blocks are dealt: at which half of L2 (measured by who reads lines across). */
static struct sm_place of_group(u32 group) { return (struct sm_place){group, 0xe8u >> group & 1}; }

struct sm_place sm_place_first(u32 sm, u32 used)
{
    if (sm < BEGINS || used <= BEGINS)
        return of_group(BEGINNER);
    const u32 at = (sm - BEGINS) * ends[PLACE_GROUPS - 1] / (used - BEGINS);
    u32 group = 0;
    while (group < PLACE_GROUPS - 1 && at >= ends[group])
        group++;
    return of_group(group);
}

struct sm_place sm_place_later(u32 sm, u32 turn)
{
    const u64 h = ((u64)turn << 32 | sm / TOGETHER) * 0x9e3779b97f4a7c15ull;
    return of_group((u32)((h ^ h >> 29) * 0xbf58476d1ce4e5b9ull >> 61));
}
