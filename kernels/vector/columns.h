/* columns.h of vector - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_VECTOR_COLUMNS_H
#define LS_KERNELS_VECTOR_COLUMNS_H

#include "kernels/family.h"

/* What is computed, and with it what the kernel takes (form_of in host.c). */
enum op {
    SAXPY,
    SAXPY_QUOTIENT,
    ADD,
    DIVIDE,
    DIVIDE_FAST,
    MULTIPLY_ADD,
    FUSED,
    SCALE,
    ROOT,
    ROOT_FAST,
    SINE,
    SINE_FAST
};

struct columns {
    enum op op;
    u32 per_thread;  /* elements */
    bool fixed_grid; /* which walks over the data */
};

#endif
