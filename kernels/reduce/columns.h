/* columns.h of reduce - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_REDUCE_COLUMNS_H
#define LS_KERNELS_REDUCE_COLUMNS_H

#include "kernels/family.h"

/* The sum of each block's part, of integers, of their squares or of floats; or one sum of 64 bits. */
enum task { PARTS, SQUARES, FLOATS, TOTAL };
/* Which blocks it takes: halving needs powers of two. */
enum block { POWER_FROM_64, POWER_FROM_32, WHOLE_WARPS, ANY_THREADS };
/* So many threads at most, which then go round: as an H200 holds at once, 132 SMs of 2048; or, since a cooperative launch
 * must fit, as every GPU of gpus/ does, 36 SMs with 1024 each. */
enum resident { NOT_RESIDENT = 0, FILLS_H200 = 132 * 2048, FITS_EVERY_GPU = 36 * 1024 };

struct columns {
    enum task task;
    u32 per_thread; /* elements */
    enum block block;
    enum resident resident;
    u32 cluster;        /* blocks; 0: no clusters */
    bool in_place;      /* overwrites its input */
    bool second_kernel; /* adds the blocks' sums */
    bool cooperative;   /* adds them behind a barrier of the grid */
};

#endif
