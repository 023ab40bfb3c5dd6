/* columns.h of matmul - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_MATMUL_COLUMNS_H
#define LS_KERNELS_MATMUL_COLUMNS_H

#include "kernels/family.h"

struct columns {
    u32 side;                /* of a block's square of the result; 0: the block's own shape */
    u32 per_thread;          /* results */
    u32 inner;               /* the only inner length that it takes; 0: any */
    enum buffer_type inputs; /* of A and B */
    bool x_down;             /* a block's x runs down the rows */
    bool whole_only;         /* no boundary test: tiles must divide the matrices */
    u32 helpers;             /* threads of a block that have no results */
    u32 dynamic_shared;      /* bytes */
    u32 cluster;             /* blocks one above the other; 0: no clusters */
    bool tma;                /* A and B by tensor maps, boxes of `side` and of 64 rows */
    bool tensor;             /* by tensor cores */
    bool tf32;               /* which round floats to tf32 */
};

#endif
