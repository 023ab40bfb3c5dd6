/* common.h - what the example programs share: the error check that the tutorials advise, and their test data. */
#ifndef COMMON_H
#define COMMON_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = call;                                                                                \
        if (error != cudaSuccess) {                                                                                    \
            printf("Error: %s:%d, code: %d, reason: %s\n", __FILE__, __LINE__, error, cudaGetErrorString(error));      \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The i-th argument as a number, or the default. */
static inline int argument(int argc, char **argv, int i, int otherwise) { return argc > i ? atoi(argv[i]) : otherwise; }

/* Small whole numbers in no order: every sum of 2^24 of them fits an int, every product a float. */
static inline int number(unsigned int i) { return (int)((i * 2654435761u >> 16) % 100); }

/* "./program at device 0: NAME", as the tutorials' programs begin. */
static inline void print_device(const char *program)
{
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaSetDevice(0));
    printf("%s at device 0: %s", program, prop.name);
}

/* "what: right" or "what: WRONG"; true when right. */
static inline int say(const char *what, int right)
{
    printf("%-28s %s\n", what, right ? "right" : "WRONG");
    return right;
}

#endif
