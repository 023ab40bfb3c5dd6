/* min_max.h - min() and max() of all arithmetic types in the global namespace, for host and device, as nvcc has them:
 * of two integers in their common type, and by fmin() and fmax() of floating-point numbers. clang's headers have
 * min(int, int) and max(int, int) for the device. */
#ifndef LOCKSTEP_MIN_MAX_H
#define LOCKSTEP_MIN_MAX_H

#define LS_BOTH static __host__ __device__ __inline__ __attribute__((always_inline))

#define LS_MIN_MAX(R, A, B)                                                                                            \
    LS_BOTH R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                                      \
    LS_BOTH R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
/* A signed type S and its unsigned twin U: mixed, both are taken as unsigned. */
#define LS_MIN_MAX_SIGNS(S, U)                                                                                         \
    LS_MIN_MAX(U, U, U)                                                                                                \
    LS_MIN_MAX(U, S, U)                                                                                                \
    LS_MIN_MAX(U, U, S)
LS_MIN_MAX_SIGNS(int, unsigned int)
LS_MIN_MAX(long, long, long)
LS_MIN_MAX_SIGNS(long, unsigned long)
LS_MIN_MAX(long long, long long, long long)
LS_MIN_MAX_SIGNS(long long, unsigned long long)

static __host__ __inline__ int min(int a, int b) { return a < b ? a : b; }
static __host__ __inline__ int max(int a, int b) { return a > b ? a : b; }

LS_BOTH float min(float a, float b) { return fminf(a, b); }
LS_BOTH float max(float a, float b) { return fmaxf(a, b); }
LS_BOTH double min(double a, double b) { return fmin(a, b); }
LS_BOTH double max(double a, double b) { return fmax(a, b); }
LS_BOTH double min(float a, double b) { return fmin((double)a, b); }
LS_BOTH double max(float a, double b) { return fmax((double)a, b); }
LS_BOTH double min(double a, float b) { return fmin(a, (double)b); }
LS_BOTH double max(double a, float b) { return fmax(a, (double)b); }

#undef LS_MIN_MAX_SIGNS
#undef LS_MIN_MAX
#undef LS_BOTH

#endif
