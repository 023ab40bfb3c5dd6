/* host.cu - the headers on the host, where no nvcc is needed to say what is right: every float of 16 bits, conversions
 * at and around every midpoint, arithmetic of many pairs, floats of 8 bits, complex numbers and atomics. */
#include <cuComplex.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <math_constants.h>
#include <stdio.h>

static unsigned failures;

static void check(bool good, const char *what, unsigned at)
{
    if (!good && failures++ < 10)
        fprintf(stderr, "%s: wrong for %08x\n", what, at);
}

/* ---- what the formats are, in doubles ---- */

static double value_of(unsigned bits, int exponent, int mantissa)
{
    const int power = (int)(bits >> mantissa) & ((1 << exponent) - 1), bias = (1 << (exponent - 1)) - 1;
    const double low = bits & ((1u << mantissa) - 1);
    const double magnitude =
        power ? ldexp(low + (1 << mantissa), power - bias - mantissa) : ldexp(low, 1 - bias - mantissa);
    return bits >> (exponent + mantissa) & 1 ? -magnitude : magnitude;
}

/* Finite, by their bits; all but NaN. */
static bool finite_half(unsigned bits)
{
    return (bits & 0x7fff) < 0x7c00;
}
static bool finite_bfloat16(unsigned bits)
{
    return (bits & 0x7fff) < 0x7f80;
}

/* Each number and the next above it in magnitude: what lies between rounds to the nearer, the middle to the even. */
static void check_half(unsigned i)
{
    const __half h = __ushort_as_half((unsigned short)i);
    const double v = value_of(i, 5, 10), next = value_of(i + 1, 5, 10), middle = (v + next) / 2;
    const bool negative = i >> 15;
    check(__half2float(h) == (float)v && __half_as_ushort(__float2half((float)v)) == i, "half", i);
    check(__half_as_ushort(__double2half(middle)) == (i & 1 ? i + 1 : i), "the middle of halves", i);
    check(__half_as_ushort(__double2half(nextafter(middle, v))) == i, "below the middle of halves", i);
    check(__half_as_ushort(__double2half(nextafter(middle, next))) == i + 1, "above the middle of halves", i);
    const float f = (float)middle;
    check(__half_as_ushort(__float2half_rz(f)) == i, "half towards zero", i);
    check(__half_as_ushort(__float2half_ru(f)) == (negative ? i : i + 1), "half upwards", i);
    check(__half_as_ushort(__float2half_rd(f)) == (negative ? i + 1 : i), "half downwards", i);
    check(__half2int_rz(h) == (int)v && (int)h == (int)v, "half to int", i);
    check(__half2ll_rz(h) == (long long)v, "half to long long", i);
    check(__half_as_ushort(-h) == (i ^ 0x8000u) && __half_as_ushort(__habs(h)) == (i & 0x7fff), "half's sign", i);
}

static void check_bfloat16(unsigned i)
{
    const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)i);
    const double v = value_of(i, 8, 7), next = value_of(i + 1, 8, 7), middle = (v + next) / 2;
    check(__bfloat162float(b) == (float)v && __bfloat16_as_ushort(__float2bfloat16((float)v)) == i, "bfloat16", i);
    check(__bfloat16_as_ushort(__float2bfloat16((float)middle)) == (i & 1 ? i + 1 : i), "the middle of bfloat16s", i);
    check(__bfloat16_as_ushort(__float2bfloat16_rz((float)middle)) == i, "bfloat16 towards zero", i);
    check(__bfloat16_as_ushort(__double2bfloat16(nextafter(middle, next))) == i + 1, "above the middle of bfloat16s",
          i);
}

static void check_pair(unsigned i, unsigned j)
{
    const __half a = __ushort_as_half((unsigned short)i), b = __ushort_as_half((unsigned short)j);
    const double x = value_of(i, 5, 10), y = value_of(j, 5, 10);
    check(__half_as_ushort(a + b) == __half_as_ushort(__double2half(x + y)), "half +", i << 16 | j);
    check(__half_as_ushort(a * b) == __half_as_ushort(__double2half(x * y)), "half *", i << 16 | j);
    check(y == 0 || __half_as_ushort(a / b) == __half_as_ushort(__double2half(x / y)), "half /", i << 16 | j);
    check((a < b) == (x < y) && (a == b) == (x == y) && (a >= b) == (x >= y), "half compared", i << 16 | j);
    check((float)__hmax(a, b) == (float)(x > y ? x : y), "half max", i << 16 | j);
    const __half2 p(a, b), q = p + p;
    check(__half_as_ushort(q.x) == __half_as_ushort(a + a) && __high2float(p) == (float)y, "half2", i << 16 | j);
}

/* A scale is 2^(code - 127). */
static void check_scales()
{
    for (int i = 0; i < 255; i++) {
        const double v = ldexp(1.0, i - 127);
        check((double)__nv_fp8_e8m0((float)v) == v && __nv_fp8_e8m0(-v).__x == i, "e8m0", (unsigned)i);
        check(__nv_cvt_double_to_e8m0(1.25 * v, __NV_SATFINITE, cudaRoundZero) == i, "e8m0 rounded down", (unsigned)i);
        check(__nv_cvt_double_to_e8m0(1.25 * v, __NV_NOSAT, cudaRoundPosInf) == i + 1, "e8m0 rounded up", (unsigned)i);
    }
    check(__nv_fp8_e8m0(0.0f).__x == 0 && __nv_fp8_e8m0(1e-300).__x == 0, "e8m0 of nothing", 0);
    check(__nv_fp8_e8m0(1e300).__x == 0xfe && __nv_fp8_e8m0(INFINITY).__x == 0xfe, "e8m0 bounded", 0);
    check(__nv_cvt_float_to_e8m0(INFINITY, __NV_NOSAT, cudaRoundZero) == 0xff, "e8m0 not bounded", 0);
    check(__nv_fp8_e8m0(NAN).__x == 0xff && isnan((float)__nv_fp8_e8m0(NAN)), "e8m0 of NaN", 0);
}

static void check_fp8()
{
    for (unsigned i = 0; i < 0x7e; i++) {
        const double v = i < 8 ? ldexp(i, -9) : ldexp((i & 7) + 8, (int)(i >> 3) - 10);
        __nv_fp8_e4m3 a((float)v);
        check(a.__x == i && (float)a == (float)v, "e4m3", i);
    }
    check(__nv_fp8_e4m3(1e9f).__x == 0x7e && __nv_fp8_e4m3(-449.0f).__x == 0xfe, "e4m3 bounded", 0);
    check(__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E4M3) == 0x7f, "e4m3 not bounded", 0);
    for (unsigned i = 0; i < 0x7c; i++) {
        __nv_fp8_e5m2 a((float)value_of(i, 5, 2));
        check(a.__x == i && (float)a == (float)value_of(i, 5, 2), "e5m2", i);
    }
    check(__nv_cvt_float_to_fp8(-1e9f, __NV_NOSAT, __NV_E5M2) == 0xfc, "e5m2 not bounded", 0);
}

static void check_the_rest()
{
    const cuDoubleComplex a = make_cuDoubleComplex(3, -4), b = make_cuDoubleComplex(-1, 2);
    const cuDoubleComplex product = cuCmul(a, b), quotient = cuCdiv(product, b);
    check(product.x == 5 && product.y == 10, "cuCmul", 0);
    check(fabs(quotient.x - 3) < 1e-15 && fabs(quotient.y + 4) < 1e-15, "cuCdiv", 0);
    check(cuCabs(a) == 5 && cuCabsf(make_cuComplex(0, 0)) == 0, "cuCabs", 0);
    check(cuCabs(make_cuDoubleComplex(3e300, 4e300)) == 5e300, "cuCabs of large numbers", 0);
    check(CUDART_PI == acos(-1.0) && CUDART_PI_F == (float)acos(-1.0), "pi", 0);
    cuda::atomic<int> n(40);
    n += 2;
    int seen = 41;
    check(n.load() == 42 && n.fetch_max(50) == 42 && !n.compare_exchange_strong(seen, 0) && seen == 50, "atomic", 0);
    __half h = 1;
    h += __half(2.5);
    check((float)h == 3.5f && __half2float(__int2half_rn(-7)) == -7 && (unsigned)__half(70000.0f) == 0xffffffffu,
          "half", 1);
}

int main()
{
    unsigned random = 1;
    for (unsigned i = 0; i < 65536; i++) {
        if (finite_half(i) && finite_half(i + 1))
            check_half(i);
        if (finite_bfloat16(i) && finite_bfloat16(i + 1))
            check_bfloat16(i);
        for (int k = 0; k < 4; k++) {
            random = random * 1664525u + 1013904223u;
            if (finite_half(i) && finite_half(random >> 16))
                check_pair(i, random >> 16);
        }
    }
    check(__half_as_ushort(__float2half(65520.0f)) == 0x7c00 && __half_as_ushort(__float2half(65519.0f)) == 0x7bff,
          "half overflow", 0);
    check(__half_as_ushort(__float2half(NAN)) == 0x7fff && __hisnan(__float2half(NAN)), "NaN", 0);
    check_fp8();
    check_scales();
    check_the_rest();
    printf("%u failures\n", failures);
    return failures != 0;
}
