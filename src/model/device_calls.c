/* device_calls.c - see device_calls.h. */
#include "model/device_calls.h"

#include <math.h>

/* Cycles of a warp's printf beyond those of one thread's: for each further lane, and what the calls of all warps do one after the
 * other, for one lane and each further one. An H200's, of 1 to 8448 warps: tests/hw/device_runtime.cu. */
#define PRINT_LANE 140.0
#define PRINT_ALL 4020.0
#define PRINT_ALL_LANE 505.0

static double print_cycles(const struct gpu *g, const struct device_call_count *n)
{
    if (n->warps < 1)
        return 0;
    const double more = fmax(0, n->threads / n->warps - 1);
    const double rounds = fmax(1, fmin(n->rounds, n->warps));
    const double call = g->printf_cycles + PRINT_LANE * more, all = PRINT_ALL + PRINT_ALL_LANE * more;
    const double warp = rounds * call + (n->warps / rounds - 1) * all;
    return fmax(warp, call + (n->warps - 1) * all);
}

double device_calls_cycles(const struct gpu *g, const struct device_calls *c)
{
    return print_cycles(g, &c->n[CALL_PRINTF]) + device_heap_cycles(g, &c->heap);
}
