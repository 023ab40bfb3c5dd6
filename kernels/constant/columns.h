/* columns.h of constant - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_CONSTANT_COLUMNS_H
#define LS_KERNELS_CONSTANT_COLUMNS_H

#include "kernels/family.h"

/* Which words the lanes of a warp read at once. */
enum spread { UNIFORM, TWO_WAY, ALL_DIFFERENT };

struct columns {
    enum spread spread;
    bool constant; /* the table is a __constant__ variable, not a buffer */
};

#endif
