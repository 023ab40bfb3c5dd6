/* nvmath_kernels.h - the functions of nvmath.def that C's library lacks, on one value. */
#ifndef LS_EXEC_NVMATH_KERNELS_H
#define LS_EXEC_NVMATH_KERNELS_H

#include "base/base.h"

f64 nv_nan(void);
f64 nv_sinpi(f64 x);
f64 nv_cospi(f64 x);
f64 nv_i0(f64 x); /* modified Bessel functions of the first kind */
f64 nv_i1(f64 x);
f64 nv_erfcx(f64 x); /* e^(x^2) erfc x */
f64 nv_erfinv(f64 y);
f64 nv_erfcinv(f64 y);
f64 nv_normcdf(f64 x);
f64 nv_normcdfinv(f64 p);
f64 nv_exp10(f64 x);
f64 nv_lgamma(f64 x);
f64 nv_tgamma(f64 x);
f64 nv_rcbrt(f64 x);
f64 nv_rsqrt(f64 x);
f64 nv_rhypot(f64 a, f64 b);
f64 nv_y0(f64 x);
f64 nv_y1(f64 x);
f64 nv_yn(i32 n, f64 x);
f64 nv_rcp64h(f64 x); /* 1 / x in the high word, the low word zero */
f64 nv_fmax(f64 a, f64 b);
f64 nv_frexp(f64 x, i32 *e);
f32 nv_fdividef(f32 a, f32 b);
/* The root of a sum of squares of a, b, c, d: infinite when one of them is, even beside a NaN. */
f64 nv_root(long double sum, f64 a, f64 b, f64 c, f64 d);
/* cvt's conversions of whole numbers (9.7.9.21): clamped; a NaN is 0 from f32 to 32 bits, else 2^(bits - 1). */
i32 nv_s32(f64 t, bool from_f64);
u32 nv_u32(f64 t, bool from_f64);
i64 nv_s64(f64 t);
u64 nv_u64(f64 t);
u32 nv_byte_perm(u32 a, u32 b, u32 s);

#endif
