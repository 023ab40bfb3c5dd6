/* columns.h of transfer - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_TRANSFER_COLUMNS_H
#define LS_KERNELS_TRANSFER_COLUMNS_H

#include "kernels/family.h"

struct job;

struct columns {
    enum buffer_place host; /* where the host's arrays are */
    u32 streams;
    bool twice; /* D = (A + B) + B instead of C = A + B */
    void (*steps)(const struct job *j);
};

#endif
