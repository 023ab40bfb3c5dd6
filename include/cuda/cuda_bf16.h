/* cuda_bf16.h - __nv_bfloat16 and __nv_bfloat162: floats of 16 bits, 8 of exponent and 7 of mantissa.
 *
 * The names and meanings are those of the CUDA Math API, "Bfloat16 Precision Intrinsics"; lockstep/small_float_*.inc
 * are the definitions, shared with cuda_fp16.h. Before compute capability 9.0 a device adds and multiplies by fma with
 * a neutral operand, and converts integers and doubles by integer arithmetic; before 8.0 it computes with
 * doubles. */
#ifndef LOCKSTEP_CUDA_BF16_H
#define LOCKSTEP_CUDA_BF16_H
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#include "cuda_fp16.h"
#include "lockstep/small_float.h"
#include <cuda_runtime.h>

#define LS_T __nv_bfloat16
#define LS_T2 __nv_bfloat162
#define LS_RAW __nv_bfloat16_raw
#define LS_RAW2 __nv_bfloat162_raw
#define LS_EXPONENT 8
#define LS_MANTISSA 7
#define LS_PTX "bf16"
#define LS_NAME(before, after) before##bfloat16##after
#define LS_TWICE(before) before##bfloat162bfloat162
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define LS_NO_CONVERSIONS
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define LS_NO_OPERATORS
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define LS_NO_OPERATORS2
#endif

#define LS_HAS_ADD (__CUDA_ARCH__ >= 900)
#define LS_HAS_FMA (__CUDA_ARCH__ >= 800)
#include "lockstep/small_float_begin.inc"
#define LS_CVT_DOWN(a) ls_small::round_to_bfloat16(a, ls_small::down)
#define LS_CVT_UP(a) ls_small::round_to_bfloat16(a, ls_small::up)
#define LS_WIDEN(a) __builtin_bit_cast(float, (unsigned)ls_small::bits(a) << 16)
/* In this order: each uses those before it. */
// clang-format off
#include "lockstep/small_float_type.inc"
#include "lockstep/small_float_math.inc"
#include "lockstep/small_float_pair.inc"
#include "lockstep/small_float_memory.inc"
#include "lockstep/small_float_end.inc"
// clang-format on

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* Between the two formats: by way of float, which holds both exactly. */
static __inline__ __host__ __device__ __half __bfloat162half_rn(const __nv_bfloat16 a)
{
    return __float2half_rn(__bfloat162float(a));
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)

#endif
