/* columns.h of transpose - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_TRANSPOSE_COLUMNS_H
#define LS_KERNELS_TRANSPOSE_COLUMNS_H

#include "kernels/family.h"

struct columns {
    u32 wide, high; /* a thread has so many elements of a row, in so many rows */
    u32 pad;        /* words added to a row of the tile */
    bool copy;      /* and nothing is transposed */
    bool tma;       /* by tensor maps: the block is fixed, rows are whole 16 bytes */
    bool x_down;    /* a block's x runs down the rows */
};

#endif
