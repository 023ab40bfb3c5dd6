/* vector_functions.h - make_int4() and its like, for host and device. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "host_defines.h"
#include "vector_types.h"

#ifdef __cplusplus
#define LS_MAKE static __inline__ __host__ __device__ constexpr
#define LS_OF(type) type
#else
#define LS_MAKE static __inline__
#define LS_OF(type) (type)
#endif

/* All vectors of one element type. */
#define LS_MAKE_VECTORS(name, T)                                                                                       \
    LS_MAKE name##1 make_##name##1(T x) { return LS_OF(name##1){x}; }                                                  \
    LS_MAKE name##2 make_##name##2(T x, T y) { return LS_OF(name##2){x, y}; }                                          \
    LS_MAKE name##3 make_##name##3(T x, T y, T z) { return LS_OF(name##3){x, y, z}; }                                  \
    LS_MAKE name##4 make_##name##4(T x, T y, T z, T w) { return LS_OF(name##4){x, y, z, w}; }
LS_MAKE_VECTORS(char, signed char)
LS_MAKE_VECTORS(uchar, unsigned char)
LS_MAKE_VECTORS(short, short)
LS_MAKE_VECTORS(ushort, unsigned short)
LS_MAKE_VECTORS(int, int)
LS_MAKE_VECTORS(uint, unsigned int)
LS_MAKE_VECTORS(long, long int)
LS_MAKE_VECTORS(ulong, unsigned long int)
LS_MAKE_VECTORS(longlong, long long int)
LS_MAKE_VECTORS(ulonglong, unsigned long long int)
LS_MAKE_VECTORS(float, float)
LS_MAKE_VECTORS(double, double)

/* Vectors of four 64-bit elements with their alignment in the name. */
#define LS_MAKE_ALIGNED(name, T)                                                                                       \
    LS_MAKE name make_##name(T x, T y, T z, T w) { return LS_OF(name){x, y, z, w}; }
LS_MAKE_ALIGNED(long4_16a, long int)
LS_MAKE_ALIGNED(long4_32a, long int)
LS_MAKE_ALIGNED(ulong4_16a, unsigned long int)
LS_MAKE_ALIGNED(ulong4_32a, unsigned long int)
LS_MAKE_ALIGNED(longlong4_16a, long long int)
LS_MAKE_ALIGNED(longlong4_32a, long long int)
LS_MAKE_ALIGNED(ulonglong4_16a, unsigned long long int)
LS_MAKE_ALIGNED(ulonglong4_32a, unsigned long long int)
LS_MAKE_ALIGNED(double4_16a, double)
LS_MAKE_ALIGNED(double4_32a, double)

#undef LS_MAKE_VECTORS
#undef LS_MAKE_ALIGNED
#undef LS_OF
#undef LS_MAKE

#endif
