/* columns.h of timing - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_TIMING_COLUMNS_H
#define LS_KERNELS_TIMING_COLUMNS_H

#include "kernels/family.h"

struct columns {
    u32 launches; /* among which the rounds are shared */
    /* The plan: in which of its marks, events and waits a rung differs. */
    void (*steps)(const struct rung *r, const struct shape *s, struct plan *p, u32 data);
};

#endif
