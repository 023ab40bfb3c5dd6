/* before.h - what must come before the C++ library's headers in CUDA C++.
 *
 * A constexpr function of the library becomes a device function, which no overload can replace, unless a device
 * function of that name and signature is declared first; so clang's declarations of the mathematics come first of all.
 * __CUDACC__ keeps libstdc++ from types that a device does not have. */
#ifndef LOCKSTEP_BEFORE_H
#define LOCKSTEP_BEFORE_H

#include <__clang_cuda_math_forward_declares.h>

#define __CUDACC__ 1

/* NVIDIA's CCCL (CUB, Thrust, libcu++) asks whether cuda_fp6.h and cuda_fp4.h can be found anywhere and includes them:
 * those of a toolkit are written on top of its own cuda_fp16.h, and here are none. */
#ifndef CCCL_DISABLE_NVFP6_SUPPORT
#define CCCL_DISABLE_NVFP6_SUPPORT
#endif

#include "host_defines.h"

/* The device's allocator, before <new> defines the device's operators by it. */
#include <stddef.h>
extern "C" {
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void free(void *) __attribute__((nothrow));
}

#include <cmath>
#include <cstdlib>
#include <new>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#endif
