/* lockstep_device.cuh - the part of CUDA C++ that the ladders use, on clang's builtins alone.
 *
 * nvcc, and clang with a CUDA toolkit, bring all of this themselves: for them this file is empty, and a kernel is plain
 * CUDA C++. clang without a toolkit (-nocudainc -nocudalib) knows the language and the builtins but not the names; this
 * file gives the names. Only what a rung needs is here; the semantics are those of the CUDA C++ Programming Guide.
 *
 * A kernel with this file calls no function that the driver would have to find: mathematics is by instructions, so sinf
 * and its like, which are functions of a library, are not here. */
#ifndef LOCKSTEP_DEVICE_CUH
#define LOCKSTEP_DEVICE_CUH

#if defined(__clang__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))

#define LS_DEVICE static __device__ __forceinline__

/* ---- vectors: aligned to their size, so that one instruction loads them ---- */

struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
};
struct __align__(8) int2 {
    int x, y;
};
struct __align__(16) int4 {
    int x, y, z, w;
};
struct __align__(8) uint2 {
    unsigned int x, y;
};
struct __align__(16) uint4 {
    unsigned int x, y, z, w;
};
struct __align__(8) float2 {
    float x, y;
};
struct float3 {
    float x, y, z;
};
struct __align__(16) float4 {
    float x, y, z, w;
};
struct __align__(4) uchar4 {
    unsigned char x, y, z, w;
};

LS_DEVICE int2 make_int2(int x, int y) { return {x, y}; }
LS_DEVICE int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
LS_DEVICE uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
LS_DEVICE uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
LS_DEVICE float2 make_float2(float x, float y) { return {x, y}; }
LS_DEVICE float3 make_float3(float x, float y, float z) { return {x, y, z}; }
LS_DEVICE float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

/* threadIdx, blockIdx, blockDim, gridDim and warpSize, from clang's own resource directory. */
#include <__clang_cuda_builtin_vars.h>

/* ---- synchronisation and order; __syncthreads() is a builtin of clang itself ---- */

LS_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
LS_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
LS_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
LS_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
LS_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
LS_DEVICE void __threadfence() { __nvvm_membar_gl(); }
LS_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

/* ---- warps ---- */

/* The last operand of the PTX instruction: the clamp (31 for the forms that look upwards or exchange, 0 for the one that
 * looks downwards) and, from bit 8 on, the mask of the sub-warp of `width` lanes (PTX ISA, shfl.sync). */
#define LS_SHFL(name, op, lane_type, clamp)                                                                            \
    LS_DEVICE int name(unsigned int mask, int value, lane_type lane, int width = 32)                                   \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##op##_i32(mask, value, (int)lane, ((32 - width) << 8) | clamp);                       \
    }                                                                                                                  \
    LS_DEVICE unsigned int name(unsigned int mask, unsigned int value, lane_type lane, int width = 32)                 \
    {                                                                                                                  \
        return (unsigned int)name(mask, (int)value, lane, width);                                                      \
    }                                                                                                                  \
    LS_DEVICE float name(unsigned int mask, float value, lane_type lane, int width = 32)                               \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##op##_f32(mask, value, (int)lane, ((32 - width) << 8) | clamp);                       \
    }
LS_SHFL(__shfl_sync, idx, int, 31)
LS_SHFL(__shfl_up_sync, up, unsigned int, 0)
LS_SHFL(__shfl_down_sync, down, unsigned int, 31)
LS_SHFL(__shfl_xor_sync, bfly, int, 31)
#undef LS_SHFL

LS_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
LS_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
LS_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
LS_DEVICE unsigned int __match_any_sync(unsigned int mask, unsigned int value)
{
    return __nvvm_match_any_sync_i32(mask, value);
}
LS_DEVICE unsigned int __activemask()
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

/* ---- atomics: at any address, device scope, relaxed ---- */

LS_DEVICE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
LS_DEVICE unsigned int atomicAdd(unsigned int *p, unsigned int v)
{
    return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
LS_DEVICE unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
LS_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
LS_DEVICE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
LS_DEVICE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
LS_DEVICE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
LS_DEVICE unsigned int atomicExch(unsigned int *p, unsigned int v)
{
    return (unsigned int)__nvvm_atom_xchg_gen_i((int *)p, (int)v);
}
LS_DEVICE int atomicCAS(int *p, int compare, int v) { return __nvvm_atom_cas_gen_i(p, compare, v); }
LS_DEVICE unsigned int atomicCAS(unsigned int *p, unsigned int compare, unsigned int v)
{
    return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v);
}
LS_DEVICE unsigned int atomicInc(unsigned int *p, unsigned int limit) { return __nvvm_atom_inc_gen_ui(p, limit); }
LS_DEVICE int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }

/* ---- arithmetic ---- */

LS_DEVICE int min(int a, int b) { return a < b ? a : b; }
LS_DEVICE int max(int a, int b) { return a > b ? a : b; }
LS_DEVICE unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
LS_DEVICE unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
LS_DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
LS_DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
LS_DEVICE float fabsf(float a) { return __builtin_fabsf(a); }
LS_DEVICE int __float2int_rd(float a) { return __nvvm_f2i_rm(a); }
LS_DEVICE float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
LS_DEVICE float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
LS_DEVICE float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
LS_DEVICE float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
LS_DEVICE float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
LS_DEVICE float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
LS_DEVICE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
LS_DEVICE float __sinf(float a) { return __nvvm_sin_approx_f(a); }
LS_DEVICE float __cosf(float a) { return __nvvm_cos_approx_f(a); }
/* As CUDA defines them: by powers and logarithms of two. */
LS_DEVICE float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.4426950408889634f); }
LS_DEVICE float __logf(float a) { return __nvvm_lg2_approx_f(a) * 0.6931471805599453f; }
LS_DEVICE float __powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
LS_DEVICE int __popc(unsigned int a) { return __builtin_popcount(a); }
LS_DEVICE int __clz(int a) { return a ? __builtin_clz((unsigned int)a) : 32; }
LS_DEVICE int __ffs(int a) { return __builtin_ffs(a); }
LS_DEVICE unsigned int __brev(unsigned int a) { return __builtin_bitreverse32(a); }
LS_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
LS_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }

/* ---- memory ---- */

/* A load through the read-only path: ld.global.nc. */
LS_DEVICE float __ldg(const float *p) { return __nvvm_ldg_f(p); }
LS_DEVICE int __ldg(const int *p) { return __nvvm_ldg_i(p); }
LS_DEVICE float4 __ldg(const float4 *p)
{
    float4 v;
    asm("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}

/* A plain store to global memory, st.global.wb, as one instruction. */
LS_DEVICE void __stwb(float2 *p, float2 v)
{
    asm volatile("st.global.wb.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(v.x), "f"(v.y) : "memory");
}
LS_DEVICE void __stwb(float4 *p, float4 v)
{
    asm volatile("st.global.wb.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
}

/* ---- clocks ---- */

LS_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
LS_DEVICE long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }

#undef LS_DEVICE

#endif

#endif
