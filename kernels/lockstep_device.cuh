/* lockstep_device.cuh - the part of CUDA C++ that the ladders use, on clang's builtins alone.
 *
 * nvcc, and clang with a CUDA toolkit, bring all of this themselves: for them this file is empty, and a kernel is plain
 * CUDA C++. clang without a toolkit (-nocudainc -nocudalib) knows the language and the builtins but not the names; this
 * file gives the names. Only what a rung needs is here; the semantics are those of the CUDA C++ Programming Guide. */
#ifndef LOCKSTEP_DEVICE_CUH
#define LOCKSTEP_DEVICE_CUH

#if defined(__clang__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))

struct uint3 {
    unsigned int x, y, z;
};

struct dim3 {
    unsigned int x, y, z;
};

/* threadIdx, blockIdx, blockDim, gridDim and warpSize, from clang's own resource directory. */
#include <__clang_cuda_builtin_vars.h>

/* __syncthreads() is a builtin of clang itself. */

static __device__ __forceinline__ void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

/* The last operand of the PTX instruction: the clamp (31 for the forms that look upwards or exchange) and, from bit 8
 * on, the mask of the sub-warp of `width` lanes (PTX ISA, shfl.sync). */
static __device__ __forceinline__ int __shfl_xor_sync(unsigned int mask, int value, int lane_mask, int width = 32)
{
    return __nvvm_shfl_sync_bfly_i32(mask, value, lane_mask, ((32 - width) << 8) | 31);
}

static __device__ __forceinline__ int __shfl_down_sync(unsigned int mask, int value, unsigned int delta, int width = 32)
{
    return __nvvm_shfl_sync_down_i32(mask, value, (int)delta, ((32 - width) << 8) | 31);
}

/* A load through the read-only path: ld.global.nc. */
static __device__ __forceinline__ float __ldg(const float *p) { return __nvvm_ldg_f(p); }
static __device__ __forceinline__ int __ldg(const int *p) { return __nvvm_ldg_i(p); }

#endif

#endif
