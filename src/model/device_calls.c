/* device_calls.c - see device_calls.h. */
#include "model/device_calls.h"

#include <math.h>

enum { LANE, ALL, ALL_LANE, SM_LANE }; /* of the GPU file's lists */

static double cycles_of(const struct gpu *g, const struct device_call_count *n, double blocks, double one,
                        const u32 costs[4])
{
    if (n->warps < 1)
        return 0;
    const double more = fmax(0, n->threads / n->warps - 1);
    const double rounds = fmax(1, fmin(n->rounds, n->warps)), call = one + costs[LANE] * more;
    const double all = costs[ALL] + costs[ALL_LANE] * more, sm = costs[SM_LANE] * more;
    const double of_sm = n->warps / fmax(1, fmin(blocks, g->sms));
    const double warp = rounds * call + (n->warps / rounds - 1) * all;
    return fmax(warp, call + fmax((n->warps - 1) * all, (of_sm - 1) * sm));
}

static struct device_call_count part(const struct device_call_count *n, double share)
{
    return (struct device_call_count){n->threads * share, n->warps * share, n->rounds * share};
}

double device_calls_cycles(const struct gpu *g, const struct device_calls *c)
{
    const struct device_call_count *taken = &c->n[CALL_MALLOC], *given = &c->n[CALL_FREE];
    const double pairs = fmin(taken->threads, given->threads), one = g->malloc_cycles;
    const struct device_call_count both = part(taken, taken->threads > 0 ? pairs / taken->threads : 0);
    const struct device_call_count kept = part(taken, taken->threads > 0 ? 1 - pairs / taken->threads : 0);
    const struct device_call_count freed = part(given, given->threads > 0 ? 1 - pairs / given->threads : 0);
    return cycles_of(g, &c->n[CALL_PRINTF], c->blocks, g->printf_cycles, g->printf_costs) +
           cycles_of(g, &both, c->blocks, one, g->heap_costs) +
           cycles_of(g, &kept, c->blocks, one / 2, g->malloc_costs) +
           cycles_of(g, &freed, c->blocks, one / 2, g->free_costs);
}
