/* hot.c - see hot.h. */
#include "model/cache/l2/hot.h"

u64 spots_most(const struct spot *spots, u32 run, const u32 stands_for[HOT_KINDS], u64 most[HOT_KINDS])
{
    u64 of_all = 0;
    for (u32 at = 0; at < SPOTS; at++) {
        u64 sum = 0;
        if (spots[at].run != run)
            continue;
        for (u32 kind = 0; kind < HOT_KINDS; kind++) {
            const u64 here = (u64)spots[at].sectors[kind] * stands_for[kind];
            most[kind] = here > most[kind] ? here : most[kind];
            sum += here;
        }
        of_all = sum > of_all ? sum : of_all;
    }
    return of_all;
}
