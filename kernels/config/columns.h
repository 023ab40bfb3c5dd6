/* columns.h of config - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_CONFIG_COLUMNS_H
#define LS_KERNELS_CONFIG_COLUMNS_H

#include "kernels/family.h"

enum task { COPY, FMAS, FLIP, DEVIATIONS };

struct columns {
    enum task task;
    u32 planes;          /* of the input, for DEVIATIONS */
    u32 kib;             /* of dynamic shared memory at least */
    i32 carveout;        /* percent of shared memory preferred; -1: the driver's choice */
    bool many_registers; /* and no launch bounds: too many for blocks of more than 512 threads */
};

#endif
