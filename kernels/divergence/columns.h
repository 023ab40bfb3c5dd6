/* columns.h of divergence - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_DIVERGENCE_COLUMNS_H
#define LS_KERNELS_DIVERGENCE_COLUMNS_H

#include "kernels/family.h"

/* SIDES: two kinds of work in one kernel; SPLIT: in one each. RARE: a lane in 128 has more to do; LEADERS: the first of a warp
 * or block has. CLAMP: numbers below 0 become 0. PAIRS: a sum, level by level. */
enum task { SIDES, SPLIT, RARE, LEADERS, CLAMP, PAIRS };
/* What tells the kinds apart: the place, the data, or that they are in order, those of kind A first. */
enum by { BY_LANE, BY_WARP, BY_BLOCK, BY_DATA, BY_GROUP };

struct columns {
    enum task task;
    enum by by;
    bool table;  /* the sides' constants come in one */
    bool a_warp; /* leaders are a warp's, not a block's */
    bool whole_warps;
};

#endif
