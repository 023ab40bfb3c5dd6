/* columns.h of histogram - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_HISTOGRAM_COLUMNS_H
#define LS_KERNELS_HISTOGRAM_COLUMNS_H

#include "kernels/family.h"

struct columns {
    u32 per_thread; /* bytes */
    u32 cluster;    /* blocks; 0: no clusters */
    u32 values;     /* different ones in the data, unless k is given */
};

#endif
