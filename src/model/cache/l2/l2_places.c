/* l2_places.c - see l2_places.h. In several loops, as most of them then become vectors. */
#include "model/cache/l2/l2_places.h"

#include "base/clones.h"
#include "model/cache/cache_sets.h"

CLONES static void find_numbers(struct l2_places *restrict to, const u64 *restrict request, u32 halves, u32 one_in)
{
    const u32 bits = (u32)__builtin_ctz(one_in);
    for (u32 k = 0; k < L2_TOGETHER; k++)
        to->line[k] = request_number(request[k]);
    for (u32 k = 0; k < L2_TOGETHER; k++)
        to->asked[k] = (u32)(request[k] >> 40 & 255); /* sectors and kind */
    for (u32 k = 0; k < L2_TOGETHER; k++)
        to->asked[k] &= 15 & -(LOADS >> (to->asked[k] >> 4) & 1);
    for (u32 k = 0; k < L2_TOGETHER; k++)
        to->slice[k] = spot_of(slice_of(to->line[k]));
    if (halves == 1)
        for (u32 k = 0; k < L2_TOGETHER; k++)
            to->number[k] = l2_number(1, one_in, bits, to->line[k]);
    else
        for (u32 k = 0; k < L2_TOGETHER; k++)
            to->number[k] = l2_number(2, one_in, bits, to->line[k]);
    for (u32 k = 0; k < L2_TOGETHER; k++)
        to->came[k] = came_of(to->number[k], bits);
    for (u32 k = 0; k < L2_TOGETHER; k++)
        to->home[k] = l2_home(halves, to->number[k]);
}

void l2_find_places(struct l2_places *to, const struct cache *half, u32 halves, u32 one_in,
                    const u64 request[L2_TOGETHER])
{
    find_numbers(to, request, halves, one_in);
    if (half->nsets)
        cache_sets(to->set, half, to->number, L2_TOGETHER);
    else
        memset(to->set, 0, sizeof to->set);
}
