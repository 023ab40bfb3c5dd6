/* nvmath_kernels.c - see nvmath_kernels.h. What is computed in long double has 11 bits to spare on x86; where long
 * double is double the last bits are worse and still within what CUDA states. */
/* clang-format off */ // rows of macros and of text
#include "exec/device/nvmath_kernels.h"

#include <math.h>
#include <string.h>

static const long double PI = 3.14159265358979323846264338327950288L;

f64 nv_nan(void)
{
    const u64 u = 0xfff8000000000000; /* CUDART_NAN */
    f64 x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* x = n / 2 + t with |t| <= 1/4, exactly; quarter turns n + shift pick sine or cosine of pi t. */
static f64 turn(f64 x, int shift)
{
    if (!isfinite(x))
        return nv_nan();
    const f64 r = x - 2 * rint(x / 2), n = rint(2 * r), t = r - n / 2;
    const int q = ((int)n + shift) & 3;
    const long double v = q & 1 ? cosl(PI * (long double)t) : sinl(PI * (long double)t);
    return (f64)(q & 2 ? -v : v);
}
f64 nv_sinpi(f64 x)
{
    const f64 r = turn(x, 0);
    return r == 0 ? copysign(0, x) : r;
}
f64 nv_cospi(f64 x)
{
    const f64 r = turn(x, 1);
    return r == 0 ? 0 : r;
}

/* The power series: all terms have one sign, so it is accurate for every x; it ends after about x + 40 terms. Beyond
 * 714 the result is infinite. */
static f64 bessel_i(f64 x, int order)
{
    if (isnan(x) || fabs(x) > 720)
        return isnan(x) ? nv_nan() : order && x < 0 ? -INFINITY : INFINITY;
    const long double h = (long double)x / 2, q = h * h;
    long double term = order ? h : 1, sum = term;
    for (int k = 1; k < 2000 && fabsl(term) > 1e-21L * fabsl(sum); k++) {
        term *= q / ((long double)k * (k + order));
        sum += term;
    }
    return (f64)sum;
}
f64 nv_i0(f64 x) { return bessel_i(x, 0); }
f64 nv_i1(f64 x) { return bessel_i(x, 1); }

f64 nv_erfcx(f64 x)
{
    const long double l = x, s = l * l;
    if (x < 50)
        return x < -27 ? INFINITY : (f64)(expl(s) * erfcl(l));
    if (isnan(x))
        return nv_nan();
    /* Asymptotic: 1 / (x sqrt pi) (1 - 1 / (2 x^2) + 3 / (4 x^4) - 15 / (8 x^6)). */
    const long double i = 1 / (2 * s);
    return (f64)((1 - i * (1 - 3 * i * (1 - 5 * i))) / (l * sqrtl(PI)));
}

/* One step of Halley's method for erf x = y, given f = erf x - y. */
static long double halley(long double x, long double f)
{
    const long double slope = 2 / sqrtl(PI) * expl(-x * x), step = f / slope;
    return x - step / (1 + x * step);
}

/* y in (-1/2, 1/2): the error function's own difference is accurate. */
static f64 inner_inverse(f64 y)
{
    long double x = (long double)y * sqrtl(PI) / 2;
    for (int k = 0; k < 4; k++)
        x = halley(x, erfl(x) - (long double)y);
    return y == 0 ? y : (f64)x;
}

/* erfc x = y for y in (0, 1/2], from a rational start (Abramowitz and Stegun 26.2.23, error below 5e-4). */
static f64 tail_inverse(long double y)
{
    const long double t = sqrtl(-2 * logl(y / 2));
    const long double up = 2.515517L + t * (0.802853L + t * 0.010328L);
    const long double down = 1 + t * (1.432788L + t * (0.189269L + t * 0.001308L));
    long double x = t - up / down;
    x /= sqrtl(2);
    for (int k = 0; k < 4; k++)
        x = halley(x, y - erfcl(x));
    return (f64)x;
}

f64 nv_erfinv(f64 y)
{
    const f64 m = fabs(y);
    if (!(m <= 1))
        return nv_nan();
    if (m <= 0.5)
        return inner_inverse(y);
    return copysign(m == 1 ? INFINITY : tail_inverse(1 - (long double)m), y);
}

f64 nv_erfcinv(f64 y)
{
    if (!(y >= 0 && y <= 2))
        return nv_nan();
    if (y >= 0.5 && y <= 1.5)
        return inner_inverse(1 - y);
    if (y < 0.5)
        return y == 0 ? INFINITY : tail_inverse(y);
    return y == 2 ? -INFINITY : -tail_inverse(2 - (long double)y);
}

f64 nv_normcdf(f64 x) { return (f64)(erfcl(-(long double)x / sqrtl(2)) / 2); }

f64 nv_normcdfinv(f64 p)
{
    if (!(p >= 0 && p <= 1))
        return nv_nan();
    if (p > 0.25 && p < 0.75)
        return (f64)(sqrtl(2) * (long double)inner_inverse(2 * p - 1));
    return (f64)(-sqrtl(2) * (long double)nv_erfcinv(2 * p));
}

f64 nv_exp10(f64 x) { return (f64)powl(10, (long double)x); }
f64 nv_lgamma(f64 x)
{
    int sign;
    return lgamma_r(x, &sign);
}
/* C leaves a pole's value open; CUDA: tgamma(+-0) = +-inf, NaN at the negative whole numbers and -inf. */
f64 nv_tgamma(f64 x)
{
    if (x < 0 && (x == floor(x)))
        return nv_nan();
    return x == 0 ? copysign(INFINITY, x) : tgamma(x);
}
f64 nv_rcbrt(f64 x) { return (f64)(1 / cbrtl((long double)x)); }
f64 nv_rsqrt(f64 x) { return (f64)(1 / sqrtl((long double)x)); }
f64 nv_rhypot(f64 a, f64 b) { return (f64)(1 / hypotl((long double)a, (long double)b)); }

/* Domain errors are NaN, the pole at 0 is -inf. */
f64 nv_y0(f64 x) { return x < 0 ? nv_nan() : x == 0 ? -INFINITY : y0(x); }
f64 nv_y1(f64 x) { return x < 0 ? nv_nan() : x == 0 ? -INFINITY : y1(x); }
f64 nv_yn(i32 n, f64 x) { return n < 0 || x < 0 ? nv_nan() : x == 0 ? -INFINITY : yn(n, x); }

f64 nv_rcp64h(f64 x)
{
    u64 u;
    f64 r = x;
    memcpy(&u, &r, sizeof u);
    u &= 0xffffffff00000000;
    if ((u & 0x7ff0000000000000) == 0)
        u &= (u64)1 << 63;
    memcpy(&r, &u, sizeof r);
    r = 1 / r;
    memcpy(&u, &r, sizeof u);
    u = (u + 0x80000000) & 0xffffffff00000000;
    u = (u & 0x7ff0000000000000) ? u : u & (u64)1 << 63;
    memcpy(&r, &u, sizeof r);
    return isnan(x) ? nv_nan() : r;
}

f64 nv_fmax(f64 a, f64 b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

f64 nv_frexp(f64 x, i32 *e)
{
    *e = 0; /* also for infinities and NaN, of which C says nothing */
    return isfinite(x) ? frexp(x, e) : x;
}

f32 nv_fdividef(f32 a, f32 b)
{
    const f32 m = fabsf(b);
    return m > 0x1p126f && m < INFINITY ? a * copysignf(0, b) : a / b;
}

f64 nv_root(long double sum, f64 a, f64 b, f64 c, f64 d)
{
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return INFINITY;
    return (f64)sqrtl(sum);
}

i32 nv_s32(f64 t, bool from_f64)
{
    if (isnan(t))
        return from_f64 ? INT32_MIN : 0;
    return t >= 0x1p31 ? INT32_MAX : t < -0x1p31 ? INT32_MIN : (i32)t;
}
u32 nv_u32(f64 t, bool from_f64)
{
    if (isnan(t))
        return from_f64 ? 0x80000000u : 0;
    return t >= 0x1p32 ? UINT32_MAX : t < 0 ? 0 : (u32)t;
}
i64 nv_s64(f64 t) { return t >= 0x1p63 ? INT64_MAX : t >= -0x1p63 ? (i64)t : INT64_MIN; }
u64 nv_u64(f64 t)
{
    if (isnan(t))
        return (u64)1 << 63;
    return t >= 0x1p64 ? UINT64_MAX : t < 0 ? 0 : (u64)t;
}

/* prmt with selectors of three bits (libdevice clears the fourth). */
u32 nv_byte_perm(u32 a, u32 b, u32 s)
{
    const u64 ba = (u64)b << 32 | a;
    u32 d = 0;
    for (int n = 0; n < 4; n++) {
        const u32 pick = s >> 4 * n & 7;
        d |= (u32)(ba >> 8 * pick & 0xff) << 8 * n;
    }
    return d;
}
