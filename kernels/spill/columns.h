/* columns.h of spill - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_SPILL_COLUMNS_H
#define LS_KERNELS_SPILL_COLUMNS_H

#include "kernels/family.h"

struct columns {
    u32 length;  /* of a thread's array */
    bool bounds; /* launch bounds of 256 threads */
};

#endif
