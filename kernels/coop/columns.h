/* columns.h of coop - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_COOP_COLUMNS_H
#define LS_KERNELS_COOP_COLUMNS_H

#include "kernels/family.h"

/* TILES: sums of groups of neighbours; TILES_OWN: of some groups the smallest element. */
enum task { SUM, CENTRE, JACOBI, TILES, TILES_OWN };

struct columns {
    enum task task;
    u32 lanes;     /* a tile */
    bool launches; /* several of them, where others have a barrier of the grid */
    bool keeps;    /* elements stay in registers over the barrier */
    bool counter;  /* waits by a counter of its own */
    bool ordinary; /* the launch, though the kernel waits for the grid */
};

#endif
