/* columns.h of conv2d - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_CONV2D_COLUMNS_H
#define LS_KERNELS_CONV2D_COLUMNS_H

#include "kernels/family.h"

/* What lies beyond the image: its outermost pixels, its mirror image, or pixels that the caller gives. */
enum border { BORDER_CLAMP, BORDER_MIRROR, BORDER_GIVEN };

struct columns {
    u32 per_thread; /* pixels, one below the other */
    enum border border;
    bool separable;         /* rows, then columns; in one kernel where the tile is dynamic */
    bool texture;           /* the image is read through one */
    bool weights_in_buffer; /* and not in constant memory */
    bool printed;           /* for 3 x 3 weights and blocks of 16 x 16 only */
};

#endif
