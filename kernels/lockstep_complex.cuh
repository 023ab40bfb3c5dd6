/* lockstep_complex.cuh - complex numbers as float2: x is the real part. */
#ifndef LOCKSTEP_COMPLEX_CUH
#define LOCKSTEP_COMPLEX_CUH

#include "lockstep_device.cuh"

/* One load of 8 bytes. clang takes a struct apart before it thinks of vectors, and then may leave two loads of 4. */
static __device__ __forceinline__ float2 complex_load(const float2 *p)
{
#if defined(__clang__)
    typedef float pair __attribute__((ext_vector_type(2), may_alias));
    pair v = *(const pair *)p;
    return make_float2(v.x, v.y);
#else
    return *p;
#endif
}

static __device__ __forceinline__ float2 complex_add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
static __device__ __forceinline__ float2 complex_sub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
static __device__ __forceinline__ float2 complex_mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* a times i for a sign of 1, times -i for -1: exact. */
static __device__ __forceinline__ float2 complex_turn(float2 a, float sign)
{
    return make_float2(-sign * a.y, sign * a.x);
}

#endif
