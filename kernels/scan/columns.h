/* columns.h of scan - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_SCAN_COLUMNS_H
#define LS_KERNELS_SCAN_COLUMNS_H

#include "kernels/family.h"

/* Each block's part on its own; all, by three kernels; all in one pass, where a block looks back at those before it. */
enum reach { A_BLOCK, THREE_KERNELS, LOOK_BACK };

struct columns {
    enum reach reach;
    u32 per_thread;   /* elements */
    u32 status_words; /* a block, where others look back at it */
    bool tree;        /* up and down: sums without the element itself, and a power of two of threads */
    bool gaps;        /* a word after every 32 of the tile */
};

#endif
