/* columns.h of texture - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_TEXTURE_COLUMNS_H
#define LS_KERNELS_TEXTURE_COLUMNS_H

#include "kernels/family.h"

struct columns {
    bool blur;    /* by a mean of k x k; else turned by k degrees */
    bool texture; /* the image is read through one */
    bool linear;  /* four neighbours weighted */
    bool clamp;   /* beyond the image lie its outermost pixels; else zeros */
};

#endif
