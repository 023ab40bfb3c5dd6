/* patterns.h - the rungs of banks that are one access of a warp: which element each thread reads. */
#ifndef LS_KERNELS_BANKS_PATTERNS_H
#define LS_KERNELS_BANKS_PATTERNS_H

#include "kernels/family.h"

struct pattern {
    const char *rung;
    u32 multiple; /* of so many threads a block must be, or some would read what nobody wrote */
    u32 (*element)(u32 thread, u32 threads);
};

/* NULL for the rungs that transpose a tile. */
const struct pattern *banks_pattern(const struct rung *r);

#endif
