/* declared.h - what a kernel's directives say of its blocks (PTX ISA, Performance-Tuning Directives). */
#ifndef LS_PTX_DECLARED_H
#define LS_PTX_DECLARED_H

#include "ptx/ptx.h"

/* The threads of a block of .maxntid or .reqntid: dimensions that are not given are 1. 0: the directive is not there. More than fit into 64 bits are
 * UINT64_MAX. */
static inline u64 ptx_block_threads(const u32 dims[3])
{
    u64 threads = dims[0];
    for (u32 k = 1; k < 3; k++)
        if (__builtin_mul_overflow(threads, dims[k] ? dims[k] : 1, &threads))
            return UINT64_MAX;
    return threads;
}

#endif
