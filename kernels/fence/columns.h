/* columns.h of fence - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_FENCE_COLUMNS_H
#define LS_KERNELS_FENCE_COLUMNS_H

#include "kernels/family.h"

enum task { BLOCK_SUM, LAST_BLOCK, WARP_MESSAGE, MESSAGE };

struct columns {
    enum task task;
    u32 rounds;     /* of a message */
    bool own_flags; /* each word of a message is its own flag */
};

#endif
