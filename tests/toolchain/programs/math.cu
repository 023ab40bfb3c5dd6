/* math.cu - the mathematics of CUDA C++ by name, on the device and where CUDA has it on the host: each function at three
 * arguments against C's functions in long double, or against its definition. */
#include "check.h"

enum { ARGS = 3 };
static const long double PI = 3.14159265358979323846264338327950288L;

/* ---- definitions of what C does not have ---- */

static long double ref_erfinv(long double a) /* by bisection */
{
    long double lo = -7, hi = 7;
    for (int i = 0; i < 120; i++)
        (erfl((lo + hi) / 2) < a ? lo : hi) = (lo + hi) / 2;
    return lo;
}
static long double ref_i(int order, long double x) /* the integral of exp(x cos t) cos(n t) over half a turn, over pi */
{
    const int n = 2000;
    long double sum = 0;
    for (int i = 0; i < n; i++) {
        const long double t = PI * (i + 0.5L) / n;
        sum += expl(x * cosl(t)) * cosl(order * t);
    }
    return sum / n;
}
static long double ref_normcdf(long double a) { return erfcl(-a / sqrtl(2)) / 2; }

/* ---- one row a function of one argument: name, its value in long double, three arguments ---- */

#define ONE_HOST_TOO(F)                                                                                                \
    F(rsqrt, 1 / sqrtl(x), 0.3, 2, 1e4)                                                                                \
    F(rcbrt, 1 / cbrtl(x), 0.3, -2, 1e4)                                                                               \
    F(sinpi, sinl(PI * x), 0.3, 0.8, -1.4)                                                                             \
    F(cospi, cosl(PI * x), 0.3, 0.8, -1.4)                                                                             \
    F(normcdf, ref_normcdf(x), 0.3, -2.5, 1.5)                                                                         \
    F(normcdfinv, sqrtl(2) * ref_erfinv(2 * x - 1), 0.3, 0.9, 0.02)                                                    \
    F(erfinv, ref_erfinv(x), 0.3, -0.9, 0.01)                                                                          \
    F(erfcinv, ref_erfinv(1 - x), 0.3, 1.9, 0.7)                                                                       \
    F(erfcx, expl(x *x) * erfcl(x), 0.3, 2, -1)                                                                        \
    F(cyl_bessel_i0, ref_i(0, x), 0.3, 2, 5)                                                                           \
    F(cyl_bessel_i1, ref_i(1, x), 0.3, 2, 5)                                                                           \
    F(acos, acosl(x), 0.3, -0.9, 0.01)                                                                                 \
    F(acosh, acoshl(x), 1.3, 2, 50)                                                                                    \
    F(asin, asinl(x), 0.3, -0.9, 0.01)                                                                                 \
    F(asinh, asinhl(x), 0.3, -2, 50)                                                                                   \
    F(atan, atanl(x), 0.3, -2, 50)                                                                                     \
    F(atanh, atanhl(x), 0.3, -0.9, 0.01)                                                                               \
    F(cbrt, cbrtl(x), 0.3, -2, 50)                                                                                     \
    F(ceil, ceill(x), 0.3, -2.7, 50)                                                                                   \
    F(cos, cosl(x), 0.3, -2, 50)                                                                                       \
    F(cosh, coshl(x), 0.3, -2, 5)                                                                                      \
    F(erf, erfl(x), 0.3, -2, 0.01)                                                                                     \
    F(erfc, erfcl(x), 0.3, -2, 2)                                                                                      \
    F(exp, expl(x), 0.3, -2, 5)                                                                                        \
    F(exp2, exp2l(x), 0.3, -2, 5)                                                                                      \
    F(exp10, powl(10, x), 0.3, -2, 5)                                                                                  \
    F(expm1, expm1l(x), 0.3, -2, 1e-4)                                                                                 \
    F(fabs, fabsl(x), 0.3, -2, 5)                                                                                      \
    F(floor, floorl(x), 0.3, -2.7, 5)                                                                                  \
    F(lgamma, lgammal(x), 0.3, 2.5, 5)                                                                                 \
    F(log, logl(x), 0.3, 2, 50)                                                                                        \
    F(log10, log10l(x), 0.3, 2, 50)                                                                                    \
    F(log1p, log1pl(x), 0.3, 2, 1e-4)                                                                                  \
    F(log2, log2l(x), 0.3, 3, 50)                                                                                      \
    F(logb, logbl(x), 0.3, 3, 50)                                                                                      \
    F(nearbyint, rintl(x), 0.5, -1.5, 2.4)                                                                             \
    F(rint, rintl(x), 0.5, -1.5, 2.6)                                                                                  \
    F(round, roundl(x), 0.5, -1.5, 2.4)                                                                                \
    F(sin, sinl(x), 0.3, -2, 50)                                                                                       \
    F(sinh, sinhl(x), 0.3, -2, 5)                                                                                      \
    F(sqrt, sqrtl(x), 0.3, 2, 50)                                                                                      \
    F(tan, tanl(x), 0.3, -2, 50)                                                                                       \
    F(tanh, tanhl(x), 0.3, -2, 0.01)                                                                                   \
    F(tgamma, tgammal(x), 0.3, 2.5, 5)                                                                                 \
    F(trunc, truncl(x), 0.3, -2.7, 50)                                                                                 \
    F(j0, j0l(x), 0.3, 2, 5)                                                                                           \
    F(j1, j1l(x), 0.3, 2, 5)                                                                                           \
    F(y0, y0l(x), 0.3, 2, 5)                                                                                           \
    F(y1, y1l(x), 0.3, 2, 5)

enum {
#define ROW(name, want, a, b, c) ROW_##name,
    ONE_HOST_TOO(ROW)
#undef ROW
    ROWS
};

/* f: the double's function, g: the float's by its own name; both types by the overloaded name where C++ has one. */
__host__ __device__ void one(double (*f)[ARGS], float (*g)[ARGS])
{
#define ROW(name, want, a, b, c)                                                                                       \
    {                                                                                                                  \
        const double x[ARGS] = {a, b, c};                                                                              \
        for (int i = 0; i < ARGS; i++) {                                                                               \
            f[ROW_##name][i] = name(x[i]);                                                                             \
            g[ROW_##name][i] = name##f((float)x[i]);                                                                   \
        }                                                                                                              \
    }
    ONE_HOST_TOO(ROW)
#undef ROW
}
__global__ void one_kernel(double (*f)[ARGS], float (*g)[ARGS]) { one(f, g); }

static void judge_one(const char *where, double (*f)[ARGS], float (*g)[ARGS])
{
#define ROW(name, want, a, b, c)                                                                                       \
    {                                                                                                                  \
        const double args[ARGS] = {a, b, c};                                                                           \
        for (int i = 0; i < ARGS; i++) {                                                                               \
            long double x = args[i];                                                                                   \
            const bool good = near(f[ROW_##name][i], want, 12);                                                        \
            x = (float)args[i];                                                                                        \
            const bool fine = near(g[ROW_##name][i], want, 12);                                                        \
            if (!good || !fine) {                                                                                      \
                failures++;                                                                                            \
                printf("%s: " #name "(%g) = %.17g, " #name "f = %.9g, want %.17Lg\n", where, args[i],                  \
                       f[ROW_##name][i], g[ROW_##name][i], want);                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
    ONE_HOST_TOO(ROW)
#undef ROW
}

/* ---- functions of several arguments, and with several results ---- */

enum { MANY = 64 };
__host__ __device__ int many(double *d)
{
    int n = 0, e = 0;
    double s, c, whole;
    float sf, cf;
    const double v[4] = {1, 2, 2, 4};
    const float vf[4] = {1, 2, 2, 4};
    d[n++] = atan2(1.0, -2.0), d[n++] = atan2f(1, -2);
    d[n++] = hypot(3.0, 4.0), d[n++] = hypotf(3, 4);
    d[n++] = rhypot(3.0, 4.0), d[n++] = rhypotf(3, 4);
    d[n++] = pow(1.5, 3.25), d[n++] = powf(1.5f, 3.25f);
    d[n++] = fmod(7.5, 2.0), d[n++] = fmodf(7.5f, 2);
    d[n++] = remainder(7.5, 2.0), d[n++] = remainderf(7.5f, 2);
    d[n++] = fmax(1.0, 2.0), d[n++] = fminf(1, 2);
    d[n++] = fdim(3.0, 1.0), d[n++] = fdimf(1, 3);
    d[n++] = fma(2.0, 3.0, 4.0), d[n++] = fmaf(2, 3, 4);
    d[n++] = copysign(2.0, -0.0), d[n++] = copysignf(2, -1);
    d[n++] = ldexp(0.75, 4), d[n++] = scalbnf(0.75f, 4);
    d[n++] = norm3d(1.0, 2.0, 2.0), d[n++] = norm4df(1, 1, 1, 1);
    d[n++] = rnorm3df(1, 2, 2), d[n++] = rnorm4d(1.0, 1.0, 1.0, 1.0);
    d[n++] = norm(4, v), d[n++] = rnormf(4, vf);
    d[n++] = fdividef(1, 4), d[n++] = nextafter(1.0, 2.0) - 1.0;
    d[n++] = frexp(12.0, &e), d[n++] = e;
    d[n++] = modf(-2.5, &whole), d[n++] = whole;
    d[n++] = remquo(7.0, 2.0, &e), d[n++] = e & 7;
    sincos(0.5, &s, &c), d[n++] = s, d[n++] = c;
    sincospif(0.25f, &sf, &cf), d[n++] = sf, d[n++] = cf;
    d[n++] = ilogb(12.0), d[n++] = (double)llround(2.5), d[n++] = (double)lrintf(2.5f);
    d[n++] = jn(2, 1.5), d[n++] = ynf(2, 1.5f);
    d[n++] = isnan(0.0 / (d[0] - d[0])) + 2 * isinf(1 / (d[0] - d[0])) + 4 * isfinite(1.0f) + 8 * signbit(-1.0);
    return n;
}
__global__ void many_kernel(double *d) { many(d); }

static void judge_many(const char *where, const double *got)
{
    const long double want[] = {
        atan2l(1, -2), atan2l(1, -2), 5, 5, 0.2L, 0.2L, powl(1.5L, 3.25L), powl(1.5L, 3.25L), 1.5L, 1.5L, -0.5L, -0.5L, 2,
        1, 2, 0, 10, 10, -2, -2, 12, 12, 3, 2, 1 / 3.0L, 0.5L, 5, 0.2L, 0.25L, 0x1p-52L, 0.75L, 4, -0.5L, -2, -1, 4,
        sinl(0.5L), cosl(0.5L), sqrtl(0.5L), sqrtl(0.5L), 3, 3, 2, jnl(2, 1.5L), ynl(2, 1.5L), 15};
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
        if (!near((float)got[i], want[i], 3)) {
            failures++;
            printf("%s: value %u is %.17g, not %.17Lg\n", where, i, got[i], want[i]);
        }
}

/* ---- C++'s overloads: the argument's type chooses ---- */

template <class A, class B> __host__ __device__ constexpr bool same(A, B) { return false; }
template <class A> __host__ __device__ constexpr bool same(A, A) { return true; }

__host__ __device__ bool overloads(float f, double d, int i, unsigned u, long long l)
{
    return same(sqrt(f), f) && same(std::sqrt(f), f) && same(sqrt(i), d) && same(std::pow(f, f), f) && same(abs(f), f) &&
           same(std::abs(d), d) && same(abs(i), i) && same(abs(l), l) && same(floor(f), f) && same(exp(f), f) &&
           same(max(f, f), f) && same(max(f, d), d) && same(min(i, i), i) && same(min(i, u), u) && same(max(l, l), l) &&
           same(std::max(i, i), i) && same(rsqrt(f), f) && same(sinpi(f), f) && max(-1, 3u) == 0xffffffffu &&
           min(2.5f, 1.5f) == 1.5f && max(-3, -4) == -3 && std::min(7, 3) == 3 && abs(-2.5f) == 2.5f && abs(-7) == 7;
}
__global__ void overloads_kernel(bool *ok) { *ok = overloads(1, 2, 3, 4, 5); }

int main()
{
    static double f[ROWS][ARGS], d[MANY];
    static float g[ROWS][ARGS];
    double(*df)[ARGS], *dd;
    float(*dg)[ARGS];
    bool *ok;
    CUDA(cudaMallocManaged(&df, sizeof f));
    CUDA(cudaMallocManaged(&dg, sizeof g));
    CUDA(cudaMallocManaged(&dd, sizeof d));
    CUDA(cudaMallocManaged(&ok, sizeof *ok));
    one_kernel<<<1, 1>>>(df, dg);
    many_kernel<<<1, 1>>>(dd);
    overloads_kernel<<<1, 1>>>(ok);
    CUDA(cudaDeviceSynchronize());
    judge_one("device", df, dg);
    judge_many("device", dd);
    MUST(*ok);
    one(f, g);
    many(d);
    judge_one("host", f, g);
    judge_many("host", d);
    MUST(overloads(1, 2, 3, 4, 5));
    printf("%d failures\n", failures);
    return failures != 0;
}
