/* cuComplex.h - complex numbers in C, float and double, on the host and on devices: CUDA's names for them.
 *
 * A number is a float2 or double2, x the real part. Division and absolute value scale their operands first, so that
 * squares neither overflow nor vanish when the result does not. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

#ifndef __CUDACC__
#include "host_defines.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LS_HD __host__ __device__ static __inline__

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* Of a type, with the suffix of its functions and of C's mathematics. */
#define LS_COMPLEX(type, real, suffix, absolute, root)                                                                 \
    LS_HD real cuCreal##suffix(type x) { return x.x; }                                                                 \
    LS_HD real cuCimag##suffix(type x) { return x.y; }                                                                 \
    LS_HD type make_##type(real r, real i)                                                                             \
    {                                                                                                                  \
        type z;                                                                                                        \
        z.x = r;                                                                                                       \
        z.y = i;                                                                                                       \
        return z;                                                                                                      \
    }                                                                                                                  \
    LS_HD type cuConj##suffix(type x) { return make_##type(x.x, -x.y); }                                               \
    LS_HD type cuCadd##suffix(type x, type y) { return make_##type(x.x + y.x, x.y + y.y); }                            \
    LS_HD type cuCsub##suffix(type x, type y) { return make_##type(x.x - y.x, x.y - y.y); }                            \
    LS_HD type cuCmul##suffix(type x, type y) { return make_##type(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }    \
    LS_HD type cuCdiv##suffix(type x, type y)                                                                          \
    {                                                                                                                  \
        const real scale = 1 / (absolute(y.x) + absolute(y.y));                                                        \
        const type a = make_##type(x.x * scale, x.y * scale), b = make_##type(y.x * scale, y.y * scale);               \
        const real norm = 1 / (b.x * b.x + b.y * b.y);                                                                 \
        return make_##type((a.x * b.x + a.y * b.y) * norm, (a.y * b.x - a.x * b.y) * norm);                            \
    }                                                                                                                  \
    LS_HD real cuCabs##suffix(type x)                                                                                  \
    {                                                                                                                  \
        const real a = absolute(x.x), b = absolute(x.y), high = a > b ? a : b, low = a > b ? b : a;                    \
        const real ratio = low / high;                                                                                 \
        return high * (low == high ? root((real)2) : root(1 + ratio * ratio));                                         \
    }                                                                                                                  \
    /* x y + d */                                                                                                      \
    LS_HD type cuCfma##suffix(type x, type y, type d)                                                                  \
    {                                                                                                                  \
        return make_##type(x.x * y.x + (d.x - x.y * y.y), x.x * y.y + (d.y + x.y * y.x));                              \
    }

LS_COMPLEX(cuFloatComplex, float, f, fabsf, sqrtf)
LS_COMPLEX(cuDoubleComplex, double, , fabs, sqrt)
#undef LS_COMPLEX

LS_HD cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
LS_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
LS_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_cuFloatComplex((float)c.x, (float)c.y); }

#undef LS_HD

#ifdef __cplusplus
}
#endif

#endif
