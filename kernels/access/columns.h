/* columns.h of access - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_ACCESS_COLUMNS_H
#define LS_KERNELS_ACCESS_COLUMNS_H

#include "kernels/family.h"

enum task {
    COPY,
    READ_OFFSET,
    WRITE_OFFSET,
    READ_STRIDE,
    WRITE_STRIDE,
    TWO_NEIGHBORS, /* sums of two neighbouring words */
    TWO_SEGMENTS,  /* of a word of either half */
    GATHER,        /* by a list */
    POINTS,        /* squared lengths */
    ROWS,          /* of k words */
    ROTATE         /* each block's part by half of it, in place */
};

struct columns {
    enum task task;
    u32 per_thread;  /* elements */
    u32 point_words; /* of a structure; 1: x, y and z have arrays of their own */
    u32 row_align;   /* rows begin at multiples of so many words */
    bool sorted;     /* the list */
    bool whole_warps;
};

#endif
