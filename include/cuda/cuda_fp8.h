/* cuda_fp8.h - floats of 8 bits: e4m3 (4 of exponent, 3 of mantissa, no infinity) and e5m2 (5 and 2).
 *
 * The names and meanings are those of the CUDA Math API, "FP8 Intrinsics". Nothing is computed in these formats: they
 * are converted, rounding to nearest. With __NV_SATFINITE what is too large becomes the largest number, with __NV_NOSAT
 * infinity, or NaN in e4m3.
 *
 * e8m0, the format of scales, is an exponent alone: code k is 2^(k - 127), 255 is NaN, and there is neither a sign nor
 * a zero. A number's sign is dropped, and what lies between two powers goes up or down as the rounding mode says. */
#ifndef LOCKSTEP_CUDA_FP8_H
#define LOCKSTEP_CUDA_FP8_H
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define LS_HD static __inline__ __host__ __device__

/* ---- one number ----
 *
 * e4m3 uses its highest exponent for numbers, but for one pattern: it is rounded as a format of 5 and 3 bits after
 * division by 256, whose codes are the same, and bounded here. */

namespace ls_small {
LS_HD unsigned char to_fp8(double a, bool saturate, bool e4m3)
{
    const unsigned most = e4m3 ? 0x7e : 0x7b, too_much = e4m3 ? 0x7f : 0x7c;
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, a);
    const unsigned sign = bits >> 63 ? 0x80 : 0;
    if (a != a) /* e5m2 has room for two bits of what a NaN says */
        return (unsigned char)(sign | (e4m3 ? 0x7f : 0x7e | (bits >> 50 & 1)));
    const double magnitude = __builtin_fabs(a);
    const unsigned code = e4m3 ? encode(magnitude / 256, 5, 3, nearest, 0) : encode(magnitude, 5, 2, nearest, 0);
    return (unsigned char)(sign | (code <= most ? code : saturate ? most : too_much));
}
LS_HD float from_fp8(unsigned char code, bool e4m3)
{
    const unsigned magnitude = code & 0x7f, sign = code & 0x80;
    if (!e4m3)
        return decode(code, 5, 2);
    if (magnitude == 0x7f)
        return decode(0x7fff, 5, 10);
    return decode(magnitude, 5, 3) * (sign ? -256.0f : 256.0f);
}
} // namespace ls_small

LS_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                const __nv_fp8_interpretation_t kind)
{
    return ls_small::to_fp8(x, saturate == __NV_SATFINITE, kind == __NV_E4M3);
}
LS_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                               const __nv_fp8_interpretation_t kind)
{
#if __CUDA_ARCH__ >= 890
    unsigned short r;
    if (saturate == __NV_SATFINITE && kind == __NV_E4M3) {
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.0f), "f"(x));
        return (__nv_fp8_storage_t)r;
    }
    if (saturate == __NV_SATFINITE) {
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.0f), "f"(x));
        return (__nv_fp8_storage_t)r;
    }
#endif
    return __nv_cvt_double_to_fp8((double)x, saturate, kind);
}
LS_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                                                 const __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half2float(x), saturate, kind);
}
LS_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                     const __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(x), saturate, kind);
}
LS_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t kind)
{
    return __float2half_rn(ls_small::from_fp8(x, kind == __NV_E4M3));
}

/* ---- two ---- */

#define LS_TWO(name, type, one, x0, x1)                                                                                \
    LS_HD __nv_fp8x2_storage_t name(const type x, const __nv_saturation_t saturate,                                    \
                                    const __nv_fp8_interpretation_t kind)                                              \
    {                                                                                                                  \
        return (__nv_fp8x2_storage_t)(one(x0, saturate, kind) | one(x1, saturate, kind) << 8);                         \
    }
LS_TWO(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, x.x, x.y)
LS_TWO(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, x.x, x.y)
LS_TWO(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{x.x}, __half_raw{x.y})
LS_TWO(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{x.x},
       __nv_bfloat16_raw{x.y})
#undef LS_TWO
LS_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t kind)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}

/* ---- the types: __x is their bits ---- */

#define LS_TYPES(name, kind)                                                                                           \
    struct __nv_fp8_##name {                                                                                           \
        __nv_fp8_storage_t __x;                                                                                        \
        __nv_fp8_##name() = default;                                                                                   \
        explicit __host__ __device__ __nv_fp8_##name(const float f)                                                    \
            : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind))                                                      \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8_##name(const double f)                                                   \
            : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind))                                                     \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8_##name(const __half f)                                                   \
            : __x(__nv_cvt_halfraw_to_fp8(f, __NV_SATFINITE, kind))                                                    \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8_##name(const __nv_bfloat16 f)                                            \
            : __x(__nv_cvt_bfloat16raw_to_fp8(f, __NV_SATFINITE, kind))                                                \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8_##name(const int i) : __nv_fp8_##name((double)i) {}                      \
        explicit __host__ __device__ __nv_fp8_##name(const unsigned i) : __nv_fp8_##name((double)i) {}                 \
        explicit __host__ __device__ operator float() const { return ls_small::from_fp8(__x, kind == __NV_E4M3); }     \
        explicit __host__ __device__ operator double() const { return (double)(float)*this; }                          \
        explicit __host__ __device__ operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); }            \
        explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16_rn((float)*this); }      \
        explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }                               \
        explicit __host__ __device__ operator int() const { return __half2int_rz(__half(*this)); }                     \
    };                                                                                                                 \
    struct __nv_fp8x2_##name {                                                                                         \
        __nv_fp8x2_storage_t __x;                                                                                      \
        __nv_fp8x2_##name() = default;                                                                                 \
        explicit __host__ __device__ __nv_fp8x2_##name(const float2 f)                                                 \
            : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind))                                                   \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ __nv_fp8x2_##name(const __half2 f)                                                \
            : __x(__nv_cvt_halfraw2_to_fp8x2(f, __NV_SATFINITE, kind))                                                 \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }        \
        explicit __host__ __device__ operator float2() const { return __half22float2(__half2(*this)); }                \
    };                                                                                                                 \
    struct __nv_fp8x4_##name {                                                                                         \
        __nv_fp8x4_storage_t __x;                                                                                      \
        __nv_fp8x4_##name() = default;                                                                                 \
        explicit __host__ __device__ __nv_fp8x4_##name(const float4 f)                                                 \
            : __x((unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f.x, f.y), __NV_SATFINITE, kind) |                    \
                  (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f.z, f.w), __NV_SATFINITE, kind) << 16)               \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ operator float4() const                                                           \
        {                                                                                                              \
            const float2 low = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)__x, kind)));         \
            const float2 high =                                                                                        \
                __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)(__x >> 16), kind)));                \
            return make_float4(low.x, low.y, high.x, high.y);                                                          \
        }                                                                                                              \
    };
LS_TYPES(e4m3, __NV_E4M3)
LS_TYPES(e5m2, __NV_E5M2)
#undef LS_TYPES

/* ---- scales ---- */

namespace ls_small {
LS_HD unsigned char to_scale(double a, bool saturate, bool up)
{
    const double magnitude = __builtin_fabs(a);
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, magnitude);
    if (a != a)
        return 0xff;
    if (magnitude == __builtin_inf())
        return saturate ? 0xfe : 0xff;
    const int below = (int)(bits >> 52) - 1023 + 127; /* the code of the power of two at or below it */
    const int code = below + (up && (bits & 0xfffffffffffffull) ? 1 : 0);
    if (code > 0xfe)
        return up && !saturate ? 0xff : 0xfe;
    return (unsigned char)(code < 0 ? 0 : code);
}
LS_HD unsigned short from_scale(unsigned char code) /* as a bfloat16; 2^-127 is subnormal there */
{
    return code == 0xff ? 0x7fff : code ? (unsigned short)(code << 7) : 0x40;
}
} // namespace ls_small

#define LS_SCALE(name, type, value)                                                                                    \
    LS_HD __nv_fp8_storage_t name(const type x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding)   \
    {                                                                                                                  \
        return ls_small::to_scale((double)(value), saturate == __NV_SATFINITE, rounding == cudaRoundPosInf);           \
    }
LS_SCALE(__nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw, __bfloat162float(x))
LS_SCALE(__nv_cvt_float_to_e8m0, float, x)
LS_SCALE(__nv_cvt_double_to_e8m0, double, x)
#undef LS_SCALE

#define LS_TWO_SCALES(name, type, one, x0, x1)                                                                         \
    LS_HD __nv_fp8x2_storage_t name(const type x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding) \
    {                                                                                                                  \
        return (__nv_fp8x2_storage_t)(one(x0, saturate, rounding) | one(x1, saturate, rounding) << 8);                 \
    }
LS_TWO_SCALES(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw{x.x},
              __nv_bfloat16_raw{x.y})
LS_TWO_SCALES(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, x.x, x.y)
LS_TWO_SCALES(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0, x.x, x.y)
#undef LS_TWO_SCALES

LS_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x)
{
    return __nv_bfloat16_raw{ls_small::from_scale(x)};
}
LS_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t x)
{
    return __nv_bfloat162_raw{ls_small::from_scale((__nv_fp8_storage_t)x),
                              ls_small::from_scale((__nv_fp8_storage_t)(x >> 8))};
}

struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    explicit __host__ __device__ __nv_fp8_e8m0(const double f)
        : __x(__nv_cvt_double_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf))
    {
    }
    explicit __host__ __device__ __nv_fp8_e8m0(const float f) : __nv_fp8_e8m0((double)f) {}
    explicit __host__ __device__ __nv_fp8_e8m0(const __half f) : __nv_fp8_e8m0((double)__half2float(f)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(const __nv_bfloat16 f) : __nv_fp8_e8m0((double)__bfloat162float(f)) {}
    explicit __host__ __device__ __nv_fp8_e8m0(const int i) : __nv_fp8_e8m0((double)i) {}
    explicit __host__ __device__ __nv_fp8_e8m0(const unsigned i) : __nv_fp8_e8m0((double)i) {}
    explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
    explicit __host__ __device__ operator float() const { return __bfloat162float(__nv_bfloat16(*this)); }
    explicit __host__ __device__ operator double() const { return (double)(float)*this; }
};

#undef LS_HD

#endif
