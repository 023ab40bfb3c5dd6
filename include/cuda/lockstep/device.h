/* device.h - the device half of CUDA C++: built-in variables, intrinsics and mathematics.
 *
 * clang's headers for CUDA give most of it and ask CUDA_VERSION what a toolkit would have brought. They call __nv_*
 * functions: libdevice.h gives a body to those that are an instruction or a few; the others are calls that the driver
 * answers. */
#ifndef LOCKSTEP_DEVICE_H
#define LOCKSTEP_DEVICE_H

/* An instruction of these functions belongs to the line that calls them. The word is the attribute's, in clang's
 * headers and in __device__ alike. */
#define device device, nodebug

/* Headers that ask whether clang compiles with a toolkit's headers get what these would give. */
#define __CLANG_CUDA_RUNTIME_WRAPPER_H__

#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif

#include <limits.h>
#include <stdint.h>

typedef uint32_t cuuint32_t;

/* ---- blockIdx and its like, which are no objects: converted where one is wanted ---- */

#include <__clang_cuda_builtin_vars.h>

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return uint3{x, y, z}; }

/* ---- mathematics and intrinsics ---- */

#include <__clang_cuda_libdevice_declares.h>

#include "lockstep/libdevice.h"

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

#include "lockstep/host_math.h"
#include "lockstep/min_max.h"

/* ---- what the driver provides: printf, the heap, assert ---- */

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...); /* clang makes a vprintf of it */
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t width);
/* What glibc's assert() calls. */
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}

#include "lockstep/address.h"
#include "lockstep/atomic.h"

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_complex_builtins.h>

/* clang 19's __reduce_add_sync() and its like confuse mask and value: warp.h has them. */
#define __reduce_add_sync lockstep_clang_reduce_add_sync
#define __reduce_min_sync lockstep_clang_reduce_min_sync
#define __reduce_max_sync lockstep_clang_reduce_max_sync
#define __reduce_or_sync lockstep_clang_reduce_or_sync
#define __reduce_and_sync lockstep_clang_reduce_and_sync
#define __reduce_xor_sync lockstep_clang_reduce_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_or_sync
#undef __reduce_and_sync
#undef __reduce_xor_sync

#include "lockstep/cache_hints.h"
#include "lockstep/integer.h"
#include "lockstep/warp.h"

#if __has_include("texture_indirect_functions.h")
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"
#endif

#include "lockstep/device_launch.h"

/* `<<<...>>>` pushes its arguments; the kernel's stub on the host pops them. */
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);

#undef device

#endif
