/* device_calls.c - measured on an H200 (docs/calibrate.md: the experiments `heap` and `print`), in cycles. */
#include "model/device_calls.h"

#include <math.h>

#define PRINT_FIRST 42500.0 /* the first call of a launch */
#define PRINT_LANE 140.0    /* a further thread of its warp */
#define PRINT_MORE 605.0    /* a thread of another warp */
#define HEAP_CALL 20000.0   /* malloc and free of a warp */
#define HEAP_LANE 4000.0    /* for each thread of it */
#define HEAP_ALL 710.0      /* a thread, where many warps call */

static double prints(double n)
{
    const double first = fmin(n, 32);
    return n > 0 ? PRINT_FIRST + PRINT_LANE * first + PRINT_MORE * (n - first) : 0;
}

double device_calls_cycles(const struct device_calls *c)
{
    const double lanes = c->malloc_warps > 0 ? c->mallocs / c->malloc_warps : 0;
    const double rounds = c->warps > 0 ? fmax(c->malloc_warps / c->warps, 1) : 0;
    const double heap = c->mallocs > 0 ? fmax(rounds * (HEAP_CALL + HEAP_LANE * lanes), HEAP_ALL * c->mallocs) : 0;
    return prints(c->prints) + heap;
}
