/* device_calls.h - what calls of the device's run time cost a kernel: printf, malloc and free. They go through locks and
 * memory that all blocks share, so they are reckoned for the whole launch, not by the replay of an SM. */
#ifndef LS_MODEL_DEVICE_CALLS_H
#define LS_MODEL_DEVICE_CALLS_H

#include "base/base.h"

struct device_calls {
    double prints;                /* calls of printf by threads */
    double mallocs, malloc_warps; /* calls of malloc by threads; by warps */
    double warps;                 /* of the launch */
};

/* Cycles that they add to a launch. */
double device_calls_cycles(const struct device_calls *c);

#endif
