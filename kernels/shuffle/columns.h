/* columns.h of shuffle - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_SHUFFLE_COLUMNS_H
#define LS_KERNELS_SHUFFLE_COLUMNS_H

#include "kernels/family.h"

/* Where a lane's value comes from in its group of 16: lane 2, two up, two down, two down and round, its neighbour, the
 * lane 8 on (rows of a block of two dimensions). */
enum move { BROADCAST, UP, DOWN, WRAP, XOR, ROWS };

struct columns {
    enum move move;
    u32 consecutive; /* elements that a thread has side by side */
    u32 parts;       /* of the data: a thread has an element in each */
};

#endif
