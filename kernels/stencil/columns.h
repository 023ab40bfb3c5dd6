/* columns.h of stencil - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_STENCIL_COLUMNS_H
#define LS_KERNELS_STENCIL_COLUMNS_H

#include "kernels/family.h"

struct columns {
    u32 per_thread; /* results */
    bool tma;       /* the tile by a tensor map */
    bool constant;  /* coefficients are a constant, not an argument */
};

#endif
