/* cuda_fp16.h - half and half2: IEEE floats of 16 bits, 5 of exponent and 10 of mantissa, on the host and on devices.
 *
 * The names and meanings are those of the CUDA Math API, "Half Precision Intrinsics"; lockstep/small_float_*.inc are
 * the definitions, shared with cuda_bf16.h. Of compute capability 7.0 or above. */
#ifndef LOCKSTEP_CUDA_FP16_H
#define LOCKSTEP_CUDA_FP16_H
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#include "lockstep/small_float.h"
#include <cuda_runtime.h>

#define LS_T __half
#define LS_T2 __half2
#define LS_RAW __half_raw
#define LS_RAW2 __half2_raw
#define LS_EXPONENT 5
#define LS_MANTISSA 10
#define LS_PTX "f16"
#define LS_NAME(before, after) before##half##after
#define LS_TWICE(before) before##half2half2
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define LS_NO_CONVERSIONS
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define LS_NO_OPERATORS
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define LS_NO_OPERATORS2
#endif

#define LS_HAS_ADD 1
#define LS_HAS_FMA 1
#include "lockstep/small_float_begin.inc"
#define LS_CVT_DOWN(a) LS_CVT("rm", "f32", "f", a)
#define LS_CVT_UP(a) LS_CVT("rp", "f32", "f", a)
#define LS_WIDEN(a)                                                                                                    \
    __extension__({                                                                                                    \
        float r_;                                                                                                      \
        asm("cvt.f32.f16 %0, %1;" : "=f"(r_) : "h"(ls_small::bits(a)));                                                \
        r_;                                                                                                            \
    })
/* In this order: each uses those before it. */
// clang-format off
#include "lockstep/small_float_type.inc"
#include "lockstep/small_float_math.inc"
#include "lockstep/small_float_pair.inc"
#include "lockstep/small_float_memory.inc"
#include "lockstep/small_float_end.inc"
// clang-format on

typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;
#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)

#endif
