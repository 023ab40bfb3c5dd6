/* program.h - what the programs of this directory share: the error-check macro that every CUDA program has, random
 * numbers, and the verdict. A program prints one line a check, "<what>: ok" or "<what>: FAILED ...", and ends with
 * the number of failures; nothing that it prints depends on time, on addresses or on the number of workers. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_),             \
                    cudaGetErrorName(error_));                                                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int failures; // what main returns

/* Prints the verdict on one check and keeps count. */
static inline void verdict(int ok, const char *what, ...)
{
    va_list args;
    va_start(args, what);
    vprintf(what, args);
    va_end(args);
    printf(": %s\n", ok ? "ok" : "FAILED");
    if (!ok)
        failures++;
}

/* A call that must fail with this error and no other. */
#define REFUSED(call, expected)                                                                                        \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != (expected))                                                                                      \
            printf("%s gave %s: ", #call, cudaGetErrorName(error_));                                                   \
        verdict(error_ == (expected), "%s is refused with %s", #call, #expected);                                      \
    } while (0)

/* Numerical Recipes' linear congruential generator: the same numbers everywhere. */
static unsigned int random_state = 12345;

static inline unsigned int random_bits(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* In [0, 1), a multiple of 2^-24. */
static inline float random_unit(void) { return (float)random_bits() / 16777216.0f; }

/* |a - b| within bound; false for NaN. */
static inline int near(double a, double b, double bound) { return fabs(a - b) <= bound; }

#endif
