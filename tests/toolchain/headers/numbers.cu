/* numbers.cu - floats of 8 bits, complex numbers and the constants of mathematics (test_headers.c). */
#include <cuComplex.h>
#include <cuda_fp8.h>
#include <math_constants.h>

#define KERNEL(name)                                                                                                   \
    static __device__ void name(unsigned *out, unsigned value);                                                        \
    extern "C" __global__ void number_##name(unsigned *out, const unsigned *in)                                        \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        name(out + 16 * i, in[i]);                                                                                     \
    }                                                                                                                  \
    static __device__ void name(unsigned *out, unsigned value)

__device__ unsigned bits(float f)
{
    return (unsigned)__float_as_int(f);
}
__device__ unsigned bits(__half f)
{
    return __half_as_ushort(f);
}

KERNEL(fp8)
{
    const float f = __int_as_float((int)value), g = __half2float(__ushort_as_half((unsigned short)value));
    out[0] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3) | __nv_cvt_float_to_fp8(g, __NV_SATFINITE, __NV_E5M2)
                                                                       << 8;
    out[1] = __nv_cvt_float_to_fp8(g, __NV_NOSAT, __NV_E4M3) | __nv_cvt_float_to_fp8(g, __NV_NOSAT, __NV_E5M2) << 8;
    out[2] = __nv_cvt_halfraw_to_fp8(__ushort_as_half((unsigned short)value), __NV_SATFINITE, __NV_E4M3) |
             __nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, __NV_E5M2) << 8;
    out[3] = bits(__half(__nv_cvt_fp8_to_halfraw((unsigned char)value, __NV_E4M3)));
    out[4] = bits(__half(__nv_cvt_fp8_to_halfraw((unsigned char)value, __NV_E5M2)));
    __nv_fp8_e4m3 a(f);
    __nv_fp8_e5m2 b(g);
    out[5] = bits(float(a)) ^ bits(float(b));
    __nv_fp8x4_e4m3 four(make_float4(f, g, -g, 3.0f));
    out[6] = four.__x;
    out[7] = bits(float4(four).y) ^ bits(float4(four).z);
    out[8] = __nv_fp8x2_e5m2(make_float2(g, f)).__x;
}

KERNEL(complex)
{
    const cuComplex a = make_cuComplex((float)(value & 255), (float)(value >> 8 & 255) - 128.0f);
    const cuComplex b = make_cuComplex((float)(value >> 16 & 15) + 1, (float)(value >> 20 & 15) - 7);
    const cuComplex sum = cuCsubf(cuCaddf(a, b), cuConjf(b)), product = cuCmulf(a, b);
    out[0] = bits(sum.x) ^ bits(sum.y);
    out[1] = bits(product.x);
    out[2] = bits(product.y);
    const cuComplex fused = cuCfmaf(a, b, sum);
    out[3] = bits(fused.x) ^ bits(cuCimagf(fused));
    const cuDoubleComplex d = cuCmul(cuComplexFloatToDouble(a), make_cuDoubleComplex(3, -2));
    out[4] = (unsigned)(int)(cuCreal(d) - 2 * cuCimag(d));
    /* Whole: 3-4-5 times a power of two. */
    out[5] = bits(cuCabsf(make_cuFloatComplex(ldexpf(3, (int)(value % 100)), ldexpf(-4, (int)(value % 100)))));
    const cuComplex quotient = cuCdivf(a, b), back = cuCmulf(quotient, b);
    out[6] = (unsigned)(int)rintf(back.x) ^ (unsigned)(int)rintf(back.y);
    const cuDoubleComplex ratio = cuCdiv(make_cuDoubleComplex(1, value % 7), make_cuDoubleComplex(2, value % 7 + 1.0));
    out[7] = (unsigned)(int)rint(ratio.x * 1e6) ^ (unsigned)(int)rint(ratio.y * 1e6);
}

KERNEL(constants)
{
    (void)value;
    out[0] = bits(CUDART_INF_F) ^ bits(CUDART_PI_F);
    out[1] = bits(CUDART_NAN_F) ^ bits(CUDART_SQRT_HALF_LO_F);
    out[2] = (unsigned)(__double_as_longlong(CUDART_PI_LO) >> 20);
    out[3] = (unsigned)(__double_as_longlong(CUDART_LN2_X_1024) >> 3);
    out[4] = __hadd(CUDART_ONE_FP16, CUDART_ONE_FP16) == CUDART_INF_FP16;
}
