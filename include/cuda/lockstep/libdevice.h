/* libdevice.h - bodies for those __nv_* functions that are one instruction or a few.
 *
 * clang's headers write every function of CUDA's mathematics as a call of a __nv_* function of NVIDIA's libdevice. The
 * driver answers such calls, but a call is not what a compiler would have made of fmaxf(): so what PTX has an
 * instruction for is an instruction. Where flushing of denormals and precision are the command line's choice, the
 * builtin chosen here follows it. The functions not here (sinf, pow, erf, ...) stay calls. */
/* clang-format off */ // rows of macros and of text
#ifndef LOCKSTEP_LIBDEVICE_H
#define LOCKSTEP_LIBDEVICE_H

#define LS_NV(R, name, ...)                                                                                            \
    extern "C" __device__ __inline__ __attribute__((always_inline, const)) R __nv_##name(__VA_ARGS__)

/* ---- exact: the same bits by definition ---- */
LS_NV(int, float_as_int, float a)
{
    return __builtin_bit_cast(int, a);
}
LS_NV(unsigned int, float_as_uint, float a)
{
    return __builtin_bit_cast(unsigned int, a);
}
LS_NV(float, int_as_float, int a)
{
    return __builtin_bit_cast(float, a);
}
LS_NV(float, uint_as_float, unsigned int a)
{
    return __builtin_bit_cast(float, a);
}
LS_NV(unsigned long long, double_as_longlong, double a)
{
    return __builtin_bit_cast(unsigned long long, a);
}
LS_NV(double, longlong_as_double, long long a)
{
    return __builtin_bit_cast(double, a);
}
LS_NV(int, double2hiint, double a)
{
    return __nvvm_d2i_hi(a);
}
LS_NV(int, double2loint, double a)
{
    return __nvvm_d2i_lo(a);
}
LS_NV(double, hiloint2double, int a, int b)
{
    return __nvvm_lohi_i2d(b, a);
}
LS_NV(int, abs, int a)
{
    return a < 0 ? (int)-(unsigned int)a : a;
}
LS_NV(long long, llabs, long long a)
{
    return a < 0 ? (long long)-(unsigned long long)a : a;
}
LS_NV(int, max, int a, int b)
{
    return a > b ? a : b;
}
LS_NV(int, min, int a, int b)
{
    return a < b ? a : b;
}
LS_NV(unsigned int, umax, unsigned int a, unsigned int b)
{
    return a > b ? a : b;
}
LS_NV(unsigned int, umin, unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}
LS_NV(long long, llmax, long long a, long long b)
{
    return a > b ? a : b;
}
LS_NV(long long, llmin, long long a, long long b)
{
    return a < b ? a : b;
}
LS_NV(unsigned long long, ullmax, unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
LS_NV(unsigned long long, ullmin, unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
LS_NV(int, brev, int a)
{
    return (int)__builtin_bitreverse32((unsigned int)a);
}
LS_NV(long long, brevll, long long a)
{
    return (long long)__builtin_bitreverse64((unsigned long long)a);
}
LS_NV(int, clz, int a)
{
    return a ? __builtin_clz((unsigned int)a) : 32;
}
LS_NV(int, clzll, long long a)
{
    return a ? __builtin_clzll((unsigned long long)a) : 64;
}
LS_NV(int, ffs, int a)
{
    return __builtin_ffs(a);
}
LS_NV(int, ffsll, long long a)
{
    return __builtin_ffsll(a);
}
LS_NV(int, popc, unsigned int a)
{
    return __builtin_popcount(a);
}
LS_NV(int, popcll, unsigned long long a)
{
    return __builtin_popcountll(a);
}
LS_NV(int, byte_perm, int a, int b, int c)
{
    return (int)__nvvm_prmt((unsigned int)a, (unsigned int)b, (unsigned int)c);
}
LS_NV(int, mul24, int a, int b)
{
    return __nvvm_mul24_i(a, b);
}
LS_NV(unsigned int, umul24, unsigned int a, unsigned int b)
{
    return __nvvm_mul24_ui(a, b);
}
LS_NV(int, mulhi, int a, int b)
{
    return __nvvm_mulhi_i(a, b);
}
LS_NV(unsigned int, umulhi, unsigned int a, unsigned int b)
{
    return __nvvm_mulhi_ui(a, b);
}
LS_NV(long long, mul64hi, long long a, long long b)
{
    return __nvvm_mulhi_ll(a, b);
}
LS_NV(unsigned long long, umul64hi, unsigned long long a, unsigned long long b)
{
    return __nvvm_mulhi_ull(a, b);
}
LS_NV(int, hadd, int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
LS_NV(int, rhadd, int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
LS_NV(int, uhadd, unsigned int a, unsigned int b)
{
    return (int)(((unsigned long long)a + b) >> 1);
}
LS_NV(unsigned int, urhadd, unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}
LS_NV(int, sad, int a, int b, int c)
{
    return __nvvm_sad_i(a, b, c);
}
LS_NV(unsigned int, usad, unsigned int a, unsigned int b, unsigned int c)
{
    return __nvvm_sad_ui(a, b, c);
}
LS_NV(double, fabs, double a)
{
    return __builtin_fabs(a);
}
LS_NV(double, ceil, double a)
{
    return __builtin_ceil(a);
}
LS_NV(double, floor, double a)
{
    return __builtin_floor(a);
}
LS_NV(double, trunc, double a)
{
    return __builtin_trunc(a);
}
LS_NV(double, fmax, double a, double b)
{
    return __builtin_fmax(a, b);
}
LS_NV(double, fmin, double a, double b)
{
    return __builtin_fmin(a, b);
}
LS_NV(double, copysign, double a, double b)
{
    return __builtin_copysign(a, b);
}
LS_NV(double, fma, double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
LS_NV(float, fabsf, float a)
{
    return __builtin_fabsf(a);
}
LS_NV(float, ceilf, float a)
{
    return __builtin_ceilf(a);
}
LS_NV(float, floorf, float a)
{
    return __builtin_floorf(a);
}
LS_NV(float, truncf, float a)
{
    return __builtin_truncf(a);
}
LS_NV(float, fmaxf, float a, float b)
{
    return __builtin_fmaxf(a, b);
}
LS_NV(float, fminf, float a, float b)
{
    return __builtin_fminf(a, b);
}
LS_NV(float, copysignf, float a, float b)
{
    return __builtin_copysignf(a, b);
}
LS_NV(float, fmaf, float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
LS_NV(int, isnanf, float a)
{
    return __builtin_isnan(a);
}
LS_NV(int, isnand, double a)
{
    return __builtin_isnan(a);
}
LS_NV(int, isinff, float a)
{
    return __builtin_isinf(a);
}
LS_NV(int, isinfd, double a)
{
    return __builtin_isinf(a);
}
LS_NV(int, finitef, float a)
{
    return __builtin_isfinite(a);
}
LS_NV(int, isfinited, double a)
{
    return __builtin_isfinite(a);
}
LS_NV(int, signbitf, float a)
{
    return __builtin_bit_cast(int, a) < 0;
}
LS_NV(int, signbitd, double a)
{
    return __builtin_bit_cast(long long, a) < 0;
}

/* ---- by instruction, with the flush mode and the precision that the command line asks for ---- */

#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define LS_FTZ(name) __nvvm_##name##_ftz_f
#define LS_CVT_FTZ(name) __nvvm_##name##_ftz
#else
#define LS_FTZ(name) __nvvm_##name##_f
#define LS_CVT_FTZ(name) __nvvm_##name
#endif
/* The root is rounded unless -prec-sqrt=false. */
LS_NV(float, sqrtf, float a)
{
    return __builtin_sqrtf(a);
}
LS_NV(double, sqrt, double a)
{
    return __nvvm_sqrt_rn_d(a);
}
LS_NV(float, rsqrtf, float a)
{
    return LS_FTZ(rsqrt_approx)(a);
}
LS_NV(float, saturatef, float a)
{
    return LS_FTZ(saturate)(a);
}
/* The fast functions, as the CUDA C++ Programming Guide defines them: by powers and logarithms of two. */
LS_NV(float, fast_fdividef, float a, float b)
{
    return LS_FTZ(div_approx)(a, b);
}
LS_NV(float, fast_sinf, float a)
{
    return LS_FTZ(sin_approx)(a);
}
LS_NV(float, fast_cosf, float a)
{
    return LS_FTZ(cos_approx)(a);
}
LS_NV(float, fast_tanf, float a)
{
    return LS_FTZ(div_approx)(LS_FTZ(sin_approx)(a), LS_FTZ(cos_approx)(a));
}
LS_NV(float, fast_expf, float a)
{
    return LS_FTZ(ex2_approx)(a * 0x1.715476p+0f);
}
LS_NV(float, fast_exp10f, float a)
{
    return LS_FTZ(ex2_approx)(a * 0x1.a934f0p+1f);
}
LS_NV(float, fast_log2f, float a)
{
    return LS_FTZ(lg2_approx)(a);
}
LS_NV(float, fast_logf, float a)
{
    return LS_FTZ(lg2_approx)(a) * 0x1.62e430p-1f;
}
LS_NV(float, fast_log10f, float a)
{
    return LS_FTZ(lg2_approx)(a) * 0x1.344136p-2f;
}
LS_NV(float, fast_powf, float a, float b)
{
    return LS_FTZ(ex2_approx)(b * LS_FTZ(lg2_approx)(a));
}
extern "C" __device__ __inline__ __attribute__((always_inline)) void __nv_fast_sincosf(float a, float *s, float *c)
{
    *s = LS_FTZ(sin_approx)(a);
    *c = LS_FTZ(cos_approx)(a);
}

/* ---- one rounding mode each: suffix of the function, of clang's builtin ---- */

#define LS_ROUNDED(mode, vm)                                                                                           \
    LS_NV(float, fadd_##mode, float a, float b)                                                                        \
    {                                                                                                                  \
        return LS_FTZ(add_##vm)(a, b);                                                                                 \
    }                                                                                                                  \
    LS_NV(float, fsub_##mode, float a, float b)                                                                        \
    {                                                                                                                  \
        return LS_FTZ(add_##vm)(a, -b);                                                                                \
    }                                                                                                                  \
    LS_NV(float, fmul_##mode, float a, float b)                                                                        \
    {                                                                                                                  \
        return LS_FTZ(mul_##vm)(a, b);                                                                                 \
    }                                                                                                                  \
    LS_NV(float, fdiv_##mode, float a, float b)                                                                        \
    {                                                                                                                  \
        return LS_FTZ(div_##vm)(a, b);                                                                                 \
    }                                                                                                                  \
    LS_NV(float, frcp_##mode, float a)                                                                                 \
    {                                                                                                                  \
        return LS_FTZ(rcp_##vm)(a);                                                                                    \
    }                                                                                                                  \
    LS_NV(float, fsqrt_##mode, float a)                                                                                \
    {                                                                                                                  \
        return LS_FTZ(sqrt_##vm)(a);                                                                                   \
    }                                                                                                                  \
    LS_NV(float, fmaf_##mode, float a, float b, float c)                                                               \
    {                                                                                                                  \
        return LS_FTZ(fma_##vm)(a, b, c);                                                                              \
    }                                                                                                                  \
    LS_NV(float, fmaf_ieee_##mode, float a, float b, float c)                                                          \
    {                                                                                                                  \
        return __nvvm_fma_##vm##_f(a, b, c);                                                                           \
    }                                                                                                                  \
    LS_NV(double, dadd_##mode, double a, double b)                                                                     \
    {                                                                                                                  \
        return __nvvm_add_##vm##_d(a, b);                                                                              \
    }                                                                                                                  \
    LS_NV(double, dsub_##mode, double a, double b)                                                                     \
    {                                                                                                                  \
        return __nvvm_add_##vm##_d(a, -b);                                                                             \
    }                                                                                                                  \
    LS_NV(double, dmul_##mode, double a, double b)                                                                     \
    {                                                                                                                  \
        return __nvvm_mul_##vm##_d(a, b);                                                                              \
    }                                                                                                                  \
    LS_NV(double, ddiv_##mode, double a, double b)                                                                     \
    {                                                                                                                  \
        return __nvvm_div_##vm##_d(a, b);                                                                              \
    }                                                                                                                  \
    LS_NV(double, drcp_##mode, double a)                                                                               \
    {                                                                                                                  \
        return __nvvm_rcp_##vm##_d(a);                                                                                 \
    }                                                                                                                  \
    LS_NV(double, dsqrt_##mode, double a)                                                                              \
    {                                                                                                                  \
        return __nvvm_sqrt_##vm##_d(a);                                                                                \
    }                                                                                                                  \
    LS_NV(double, fma_##mode, double a, double b, double c)                                                            \
    {                                                                                                                  \
        return __nvvm_fma_##vm##_d(a, b, c);                                                                           \
    }                                                                                                                  \
    LS_NV(float, double2float_##mode, double a)                                                                        \
    {                                                                                                                  \
        return LS_CVT_FTZ(d2f_##vm)(a);                                                                                \
    }                                                                                                                  \
    LS_NV(float, int2float_##mode, int a)                                                                              \
    {                                                                                                                  \
        return __nvvm_i2f_##vm(a);                                                                                     \
    }                                                                                                                  \
    LS_NV(float, uint2float_##mode, unsigned int a)                                                                    \
    {                                                                                                                  \
        return __nvvm_ui2f_##vm(a);                                                                                    \
    }                                                                                                                  \
    LS_NV(float, ll2float_##mode, long long a)                                                                         \
    {                                                                                                                  \
        return __nvvm_ll2f_##vm(a);                                                                                    \
    }                                                                                                                  \
    LS_NV(float, ull2float_##mode, unsigned long long a)                                                               \
    {                                                                                                                  \
        return __nvvm_ull2f_##vm(a);                                                                                   \
    }                                                                                                                  \
    LS_NV(double, ll2double_##mode, long long a)                                                                       \
    {                                                                                                                  \
        return __nvvm_ll2d_##vm(a);                                                                                    \
    }                                                                                                                  \
    LS_NV(double, ull2double_##mode, unsigned long long a)                                                             \
    {                                                                                                                  \
        return __nvvm_ull2d_##vm(a);                                                                                   \
    }
LS_ROUNDED(rn, rn)
LS_ROUNDED(rz, rz)
LS_ROUNDED(ru, rp)
LS_ROUNDED(rd, rm)

/* To integers. A number that is out of range becomes the nearest that is in it, which clang forgets of the builtins
 * that round towards zero: it takes these for C++'s conversions, where such a number is undefined. */
#define LS_TO_INTEGER(mode, vm)                                                                                        \
    LS_NV(int, float2int_##mode, float a)                                                                              \
    {                                                                                                                  \
        return LS_CVT_FTZ(f2i_##vm)(a);                                                                                \
    }                                                                                                                  \
    LS_NV(int, double2int_##mode, double a)                                                                            \
    {                                                                                                                  \
        return __nvvm_d2i_##vm(a);                                                                                     \
    }                                                                                                                  \
    LS_NV(unsigned int, float2uint_##mode, float a)                                                                    \
    {                                                                                                                  \
        return LS_CVT_FTZ(f2ui_##vm)(a);                                                                               \
    }                                                                                                                  \
    LS_NV(unsigned int, double2uint_##mode, double a)                                                                  \
    {                                                                                                                  \
        return __nvvm_d2ui_##vm(a);                                                                                    \
    }                                                                                                                  \
    LS_NV(long long, float2ll_##mode, float a)                                                                         \
    {                                                                                                                  \
        return LS_CVT_FTZ(f2ll_##vm)(a);                                                                               \
    }                                                                                                                  \
    LS_NV(long long, double2ll_##mode, double a)                                                                       \
    {                                                                                                                  \
        return __nvvm_d2ll_##vm(a);                                                                                    \
    }                                                                                                                  \
    LS_NV(unsigned long long, float2ull_##mode, float a)                                                               \
    {                                                                                                                  \
        return LS_CVT_FTZ(f2ull_##vm)(a);                                                                              \
    }                                                                                                                  \
    LS_NV(unsigned long long, double2ull_##mode, double a)                                                             \
    {                                                                                                                  \
        return __nvvm_d2ull_##vm(a);                                                                                   \
    }
LS_TO_INTEGER(rn, rn)
LS_TO_INTEGER(ru, rp)
LS_TO_INTEGER(rd, rm)
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define LS_RZI "cvt.rzi.ftz"
#else
#define LS_RZI "cvt.rzi"
#endif
#define LS_TOWARDS_ZERO(R, name, A, instruction, result, argument)                                                     \
    LS_NV(R, name##_rz, A a)                                                                                           \
    {                                                                                                                  \
        R r;                                                                                                           \
        asm(instruction " %0, %1;" : "=" result(r) : argument(a));                                                     \
        return r;                                                                                                      \
    }
LS_TOWARDS_ZERO(int, float2int, float, LS_RZI ".s32.f32", "r", "f")
LS_TOWARDS_ZERO(unsigned int, float2uint, float, LS_RZI ".u32.f32", "r", "f")
LS_TOWARDS_ZERO(long long, float2ll, float, LS_RZI ".s64.f32", "l", "f")
LS_TOWARDS_ZERO(unsigned long long, float2ull, float, LS_RZI ".u64.f32", "l", "f")
LS_TOWARDS_ZERO(int, double2int, double, "cvt.rzi.s32.f64", "r", "d")
LS_TOWARDS_ZERO(unsigned int, double2uint, double, "cvt.rzi.u32.f64", "r", "d")
LS_TOWARDS_ZERO(long long, double2ll, double, "cvt.rzi.s64.f64", "l", "d")
LS_TOWARDS_ZERO(unsigned long long, double2ull, double, "cvt.rzi.u64.f64", "l", "d")
LS_NV(double, int2double_rn, int a)
{
    return a;
}
LS_NV(double, uint2double_rn, unsigned int a)
{
    return a;
}

#undef LS_TOWARDS_ZERO
#undef LS_RZI
#undef LS_TO_INTEGER
#undef LS_ROUNDED
#undef LS_CVT_FTZ
#undef LS_FTZ
#undef LS_NV

#endif
