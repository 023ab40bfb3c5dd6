/* columns.h of nested - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_NESTED_COLUMNS_H
#define LS_KERNELS_NESTED_COLUMNS_H

#include "kernels/family.h"

enum task { HELLO, REDUCE, TREE, SORT };

struct columns {
    enum task task;
    bool flat;       /* no kernel launches another */
    bool halves;     /* blocks of half the threads: each adds two elements */
    bool one_thread; /* begins with one, which launches the others */
};

#endif
