/* host_math.h - the functions that CUDA has beside C's mathematics, for the host: rsqrtf(), sinpi(), normcdf(), ... The
 * device's are clang's, but for the overloads of float. Each is computed by C's functions in double or long double from
 * its definition. */
/* clang-format off */ // rows of macros and of text
#ifndef LOCKSTEP_HOST_MATH_H
#define LOCKSTEP_HOST_MATH_H

#define LS_HOST static __host__ __inline__

/* The overload for float of a function of double, on both sides. */
#define LS_FLOAT(name)                                                                                                 \
    static __host__ __device__ __inline__ float name(float a)                                                          \
    {                                                                                                                  \
        return name##f(a);                                                                                             \
    }
/* Of one argument, in both precisions: the host's float one is the double one rounded. */
#define LS_HOST_1(name, expr)                                                                                          \
    LS_HOST double name(double a)                                                                                      \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }                                                                                                                  \
    LS_HOST float name##f(float a)                                                                                     \
    {                                                                                                                  \
        return (float)name((double)a);                                                                                 \
    }                                                                                                                  \
    LS_FLOAT(name)

/* Whether the C library has C23's functions of that version: then only float's overload is missing. */
#if defined(__GLIBC_USE) && defined(__GLIBC_PREREQ)
#define LS_LIBC_HAS(major, minor) (__GLIBC_USE(IEC_60559_FUNCS_EXT_C23) && __GLIBC_PREREQ(major, minor))
#else
#define LS_LIBC_HAS(major, minor) 0
#endif

#if LS_LIBC_HAS(2, 42)
LS_FLOAT(rsqrt)
#else
LS_HOST_1(rsqrt, 1 / ::sqrt(a))
#endif
LS_HOST_1(rcbrt, 1 / ::cbrt(a))
/* The angle is reduced in units of pi, which is exact, before pi comes in. */
LS_HOST double lockstep_half_turns(double a)
{
    return a - 2 * ::floor(a / 2);
}
#if LS_LIBC_HAS(2, 41)
LS_FLOAT(sinpi)
LS_FLOAT(cospi)
#else
LS_HOST_1(sinpi, (double)::sinl(3.14159265358979323846264338327950288L * (long double)lockstep_half_turns(a)))
LS_HOST_1(cospi, (double)::cosl(3.14159265358979323846264338327950288L * (long double)lockstep_half_turns(a)))
#endif
LS_HOST_1(normcdf, ::erfc(a * -0.70710678118654752440) / 2)

LS_HOST void sincospi(double a, double *s, double *c)
{
    *s = sinpi(a);
    *c = cospi(a);
}
LS_HOST void sincospif(float a, float *s, float *c)
{
    *s = sinpif(a);
    *c = cospif(a);
}
static __host__ __device__ __inline__ void sincospi(float a, float *s, float *c)
{
    sincospif(a, s, c);
}

/* exp(a^2) erfc(a): in long double while erfc is not 0, by the first terms of its expansion at infinity beyond. */
LS_HOST double lockstep_erfcx(long double a)
{
    if (a < 50)
        return (double)(::expl(a * a) * ::erfcl(a));
    const long double i = 1 / (2 * a * a);
    return (double)(0.56418958354775628694807945156077259L / a * (1 - i * (1 - 3 * i * (1 - 5 * i))));
}
LS_HOST_1(erfcx, lockstep_erfcx(a))

/* The inverse of erfc on (0, 1], by Newton's steps on log erfc from the asymptotic form, which converge from above; the
 * other half by symmetry. */
LS_HOST double lockstep_erfcinv(long double a)
{
    if (!(a > 0 && a < 2))
        return a == 0 ? HUGE_VAL : a == 2 ? -HUGE_VAL : (double)NAN;
    const long double p = a <= 1 ? a : 2 - a;
    long double x = ::sqrtl(-::logl(p)) - 0.3L * (p < 0.1L);
    for (int k = 0; k < 60; k++) {
        const long double e = ::erfcl(x);
        const long double step = e * ::logl(e / p) * 0.88622692545275801364908374167057259L * ::expl(x * x);
        x += step;
        if (::fabsl(step) <= 1e-19L * ::fabsl(x))
            break;
    }
    return (double)(a <= 1 ? x : -x);
}
/* Near 0 the difference 1 - a would lose a's digits: the series' first term and Newton's steps on erf. */
LS_HOST double lockstep_erfinv(long double a)
{
    if (::fabsl(a) > 0.5L)
        return a > 0 ? lockstep_erfcinv(1 - a) : -lockstep_erfcinv(1 + a);
    long double x = a * 0.88622692545275801364908374167057259L;
    for (int k = 0; k < 8; k++)
        x -= (::erfl(x) - a) * 0.88622692545275801364908374167057259L * ::expl(x * x);
    return (double)x;
}
LS_HOST_1(erfinv, lockstep_erfinv(a))
LS_HOST_1(erfcinv, lockstep_erfcinv(a))
LS_HOST_1(normcdfinv, -1.41421356237309504880 * lockstep_erfcinv(2 * (long double)a))

/* Modified Bessel functions, by their power series, which has positive terms only. */
LS_HOST double lockstep_bessel_i(int order, long double a)
{
    const long double q = a * a / 4;
    long double term = order ? a / 2 : 1, sum = term;
    for (int k = 1; k < 2000 && ::fabsl(term) > 1e-20L * ::fabsl(sum); k++)
        sum += term *= q / ((long double)k * (k + order));
    return (double)sum;
}
LS_HOST_1(cyl_bessel_i0, lockstep_bessel_i(0, a))
LS_HOST_1(cyl_bessel_i1, lockstep_bessel_i(1, a))

/* C has these for both precisions, C++ no overloads of them. */
LS_FLOAT(exp10)
LS_FLOAT(j0)
LS_FLOAT(j1)
LS_FLOAT(y0)
LS_FLOAT(y1)
static __host__ __device__ __inline__ float jn(int n, float a)
{
    return jnf(n, a);
}
static __host__ __device__ __inline__ float yn(int n, float a)
{
    return ynf(n, a);
}

/* ---- lengths: long double neither overflows nor loses a digit on the way ---- */

LS_HOST long double lockstep_length(long double a, long double b, long double c, long double d)
{
    return ::sqrtl(a * a + b * b + c * c + d * d);
}
LS_HOST double rhypot(double a, double b)
{
    return (double)(1 / lockstep_length(a, b, 0, 0));
}
LS_HOST float rhypotf(float a, float b)
{
    return (float)rhypot((double)a, (double)b);
}
LS_HOST double norm3d(double a, double b, double c)
{
    return (double)lockstep_length(a, b, c, 0);
}
LS_HOST float norm3df(float a, float b, float c)
{
    return (float)lockstep_length(a, b, c, 0);
}
LS_HOST double norm4d(double a, double b, double c, double d)
{
    return (double)lockstep_length(a, b, c, d);
}
LS_HOST float norm4df(float a, float b, float c, float d)
{
    return (float)lockstep_length(a, b, c, d);
}
LS_HOST double rnorm3d(double a, double b, double c)
{
    return (double)(1 / lockstep_length(a, b, c, 0));
}
LS_HOST float rnorm3df(float a, float b, float c)
{
    return (float)(1 / lockstep_length(a, b, c, 0));
}
LS_HOST double rnorm4d(double a, double b, double c, double d)
{
    return (double)(1 / lockstep_length(a, b, c, d));
}
LS_HOST float rnorm4df(float a, float b, float c, float d)
{
    return (float)(1 / lockstep_length(a, b, c, d));
}
LS_HOST double norm(int n, const double *p)
{
    long double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (long double)p[i] * p[i];
    return (double)::sqrtl(sum);
}
LS_HOST float normf(int n, const float *p)
{
    long double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (long double)p[i] * p[i];
    return (float)::sqrtl(sum);
}
LS_HOST double rnorm(int n, const double *p)
{
    return 1 / norm(n, p);
}
LS_HOST float rnormf(int n, const float *p)
{
    return 1 / normf(n, p);
}

LS_HOST double fdivide(double a, double b)
{
    return a / b;
}
LS_HOST float fdividef(float a, float b)
{
    return a / b;
}
LS_HOST long long llmax(long long a, long long b)
{
    return a > b ? a : b;
}
LS_HOST long long llmin(long long a, long long b)
{
    return a < b ? a : b;
}
LS_HOST unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
LS_HOST unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
LS_HOST unsigned int umax(unsigned int a, unsigned int b)
{
    return a > b ? a : b;
}
LS_HOST unsigned int umin(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

#undef LS_HOST_1
#undef LS_FLOAT
#undef LS_HOST

#endif
