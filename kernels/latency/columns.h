/* columns.h of latency - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_LATENCY_COLUMNS_H
#define LS_KERNELS_LATENCY_COLUMNS_H

#include "kernels/family.h"

/* What a step is. The last four go round a ring of addresses or indices. */
enum step_of { FMA, INTEGER, SHUFFLE, SHARED, GLOBAL, CONSTANT, LOCAL };

struct columns {
    enum step_of step;
    u32 chains;
    u32 ring;           /* lines of global memory or words of shared memory in the ring */
    bool conflict;      /* all lanes are in one bank */
    double least, most; /* cycles a step (reference.c) */
};

#endif
