/* device_calls.c - see device_calls.h. */
#include "model/device_calls.h"

#include <math.h>

/* Cycles of a warp's call beyond those of one thread's. Measured on an H200: tests/hw/device_runtime.cu. */
struct costs {
    double lane;          /* for each further lane */
    double all, all_lane; /* that all warps' calls take one after the other, and for each further lane */
    double sm_lane;       /* likewise those of one SM, for each further lane */
};
static const struct costs of_printf = {140, 4020, 505, 0}; /* of 1 to 8448 warps */
static const struct costs of_pair = {4250, 1700, 267, 950};
static const struct costs of_malloc = {3860, 3370, 81, 690};
static const struct costs of_free = {990, 6435, 42, 210};

static double cycles_of(const struct gpu *g, const struct device_call_count *n, double blocks, double one,
                        const struct costs *costs)
{
    if (n->warps < 1)
        return 0;
    const double more = fmax(0, n->threads / n->warps - 1);
    const double rounds = fmax(1, fmin(n->rounds, n->warps)), call = one + costs->lane * more;
    const double all = costs->all + costs->all_lane * more, sm = costs->sm_lane * more;
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
    return cycles_of(g, &c->n[CALL_PRINTF], c->blocks, g->printf_cycles, &of_printf) +
           cycles_of(g, &both, c->blocks, one, &of_pair) + cycles_of(g, &kept, c->blocks, one / 2, &of_malloc) +
           cycles_of(g, &freed, c->blocks, one / 2, &of_free);
}
