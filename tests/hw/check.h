/* check.h - a call of the runtime API must succeed; else a program of this folder says which one failed, and ends. */
#ifndef LS_HW_CHECK_H
#define LS_HW_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t e = (call);                                                                                  \
        if (e != cudaSuccess) {                                                                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
