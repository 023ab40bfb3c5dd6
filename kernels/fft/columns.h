/* columns.h of fft - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_FFT_COLUMNS_H
#define LS_KERNELS_FFT_COLUMNS_H

#include "kernels/family.h"

/* A product with the matrix; passes through memory; a transform a block, a warp; columns and rows by blocks. */
enum way { PASSES, DIRECT, BLOCK, WARP, FOUR_STEP };

struct columns {
    enum way way;
    u32 radix;      /* of a block's passes */
    bool gaps;      /* one after every 16 numbers of the tile */
    bool one_array; /* in the tile, where others have two */
    bool unsorted;  /* passes begin without the reversal of bits */
    bool printed;   /* a thread for each number, one transform */
};

#endif
