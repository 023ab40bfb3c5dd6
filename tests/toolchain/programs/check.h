/* check.h - what these programs share: a kernel is run on one thread unless it says otherwise, and every value that is
 * not what it has to be is printed with its line. main returns how many there were. */
#ifndef CHECK_H
#define CHECK_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int failures;

static inline void must(bool ok, const char *what, int line)
{
    if (!ok) {
        failures++;
        printf("line %d: %s\n", line, what);
    }
}
#define MUST(condition) must(condition, #condition, __LINE__)
#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error_));                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Within so many units in the last place of a float (2^-23) or double (2^-52), or both NaN, or equal. */
template <class T> static inline bool near(T got, long double want, double ulps)
{
    if (want != want)
        return got != got;
    const long double unit = sizeof(T) == 4 ? 1.2e-7L : 2.3e-16L;
    return (T)want == got || fabsl((long double)got - want) <= ulps * unit * fabsl(want);
}

#endif
