/* half.cu - floats of 16 bits on a device: each kernel writes, for a word of `in` that holds two of them, its group's
 * results. The same source is compiled by clang with Lockstep's headers and by nvcc with NVIDIA's (test_headers.c). */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define GROUP(name)                                                                                                    \
    template <class T, class T2> __device__ void name(unsigned *out, unsigned word);                                   \
    extern "C" __global__ void f16_##name(unsigned *out, const unsigned *in)                                           \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        name<__half, __half2>(out + 16 * i, in[i]);                                                                    \
    }                                                                                                                  \
    extern "C" __global__ void bf16_##name(unsigned *out, const unsigned *in)                                          \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        name<__nv_bfloat16, __nv_bfloat162>(out + 16 * i, in[i]);                                                      \
    }                                                                                                                  \
    template <class T, class T2> __device__ void name(unsigned *out, unsigned word)

__device__ unsigned bits(__half a)
{
    return __half_as_ushort(a);
}
__device__ unsigned bits(__nv_bfloat16 a)
{
    return __bfloat16_as_ushort(a);
}
__device__ unsigned bits(__half2 a)
{
    return bits(a.x) | bits(a.y) << 16;
}
__device__ unsigned bits(__nv_bfloat162 a)
{
    return bits(a.x) | bits(a.y) << 16;
}
template <class T> __device__ T of(unsigned short bits);
template <> __device__ __half of<__half>(unsigned short bits)
{
    return __ushort_as_half(bits);
}
template <> __device__ __nv_bfloat16 of<__nv_bfloat16>(unsigned short bits)
{
    return __ushort_as_bfloat16(bits);
}

GROUP(arithmetic)
{
    T a = of<T>((unsigned short)word), b = of<T>((unsigned short)(word >> 16)), c = of<T>((unsigned short)(word >> 8));
    T2 p(a, b), q(b, c);
    out[0] = bits(a + b);
    out[1] = bits(a - b);
    out[2] = bits(a * b);
    out[3] = bits(a / b);
    out[4] = bits(__hfma(a, b, c));
    out[5] = bits(__hadd_sat(a, b)) | bits(__hmul_sat(a, b)) << 16;
    out[6] = bits(__hmin(a, b)) | bits(__hmax(a, b)) << 16;
    out[7] = bits(__hmin_nan(a, b)) | bits(__hmax_nan(a, b)) << 16;
    out[8] = bits(p + q);
    out[9] = bits(p - q);
    out[10] = bits(p * q);
    out[11] = bits(__hfma2(p, q, p));
    out[12] = bits(__hfma_relu(a, b, c)) | bits(__hfma_sat(a, b, c)) << 16;
    out[13] = bits(__habs(a)) | bits(-a) << 16;
    out[14] = bits(__hmin2(p, q));
    out[15] = bits(__hcmadd(p, q, p));
}

GROUP(comparison)
{
    T a = of<T>((unsigned short)word), b = of<T>((unsigned short)(word >> 16));
    T2 p(a, b), q(b, b);
    out[0] = (unsigned)__heq(a, b) | (unsigned)__hne(a, b) << 1 | (unsigned)__hlt(a, b) << 2 |
             (unsigned)__hle(a, b) << 3 | (unsigned)__hgt(a, b) << 4 | (unsigned)__hge(a, b) << 5;
    out[1] = (unsigned)__hequ(a, b) | (unsigned)__hneu(a, b) << 1 | (unsigned)__hltu(a, b) << 2 |
             (unsigned)__hleu(a, b) << 3 | (unsigned)__hgtu(a, b) << 4 | (unsigned)__hgeu(a, b) << 5;
    out[2] = (unsigned)(a == b) | (unsigned)(a != b) << 1 | (unsigned)(a < b) << 2 | (unsigned)(a <= b) << 3 |
             (unsigned)(a > b) << 4 | (unsigned)(a >= b) << 5;
    out[3] = bits(__hlt2(p, q));
    out[4] = bits(__hneu2(p, q));
    out[5] = __hgeu2_mask(p, q);
    out[6] = __heq2_mask(p, q);
    out[7] = (unsigned)__hble2(p, q) | (unsigned)__hbgtu2(p, q) << 1 | (unsigned)(p != q) << 2;
    out[8] = (unsigned)__hisnan(a) | (unsigned)(__hisinf(a) + 1) << 1 | (unsigned)(bool)a << 3;
    out[9] = bits(__hisnan2(p));
    out[10] = bits(__low2float(p) < 0 ? p.x : p.y);
}

__device__ void from(unsigned *out, float f, double d, int i, long long l, __half)
{
    out[0] = bits(__float2half_rn(f)) | bits(__float2half_rz(f)) << 16;
    out[1] = bits(__float2half_rd(f)) | bits(__float2half_ru(f)) << 16;
    out[2] = bits(__double2half(d)) | bits(__int2half_rn(i)) << 16;
    out[3] = bits(__int2half_rd(i)) | bits(__uint2half_ru((unsigned)i)) << 16;
    out[4] = bits(__ll2half_rn(l)) | bits(__ull2half_rz((unsigned long long)l)) << 16;
    out[5] = bits(__short2half_rn((short)i)) | bits(__ushort2half_rn((unsigned short)i)) << 16;
}
__device__ void from(unsigned *out, float f, double d, int i, long long l, __nv_bfloat16)
{
    out[0] = bits(__float2bfloat16_rn(f)) | bits(__float2bfloat16_rz(f)) << 16;
    out[1] = bits(__float2bfloat16_rd(f)) | bits(__float2bfloat16_ru(f)) << 16;
    out[2] = bits(__double2bfloat16(d)) | bits(__int2bfloat16_rn(i)) << 16;
    out[3] = bits(__int2bfloat16_rd(i)) | bits(__uint2bfloat16_ru((unsigned)i)) << 16;
    out[4] = bits(__ll2bfloat16_rn(l)) | bits(__ull2bfloat16_rz((unsigned long long)l)) << 16;
    out[5] = bits(__short2bfloat16_rn((short)i)) | bits(__ushort2bfloat16_rn((unsigned short)i)) << 16;
}
__device__ void to(unsigned *out, __half h)
{
    out[0] = (unsigned)__half2int_rn(h);
    out[1] = (unsigned)__half2int_rd(h);
    out[2] = __half2uint_ru(h);
    out[3] = (unsigned)__half2ll_rz(h) ^ (unsigned)(__half2ll_rz(h) >> 32);
    out[4] = (unsigned)__half2ull_rn(h) ^ (unsigned)(__half2ull_rn(h) >> 32);
    out[5] = (unsigned)(unsigned short)__half2short_rn(h) | (unsigned)__half2ushort_rz(h) << 16;
    out[6] = (unsigned)(unsigned char)__half2char_rz(h) | (unsigned)__half2uchar_rz(h) << 16;
}
__device__ void to(unsigned *out, __nv_bfloat16 h)
{
    out[0] = (unsigned)__bfloat162int_rn(h);
    out[1] = (unsigned)__bfloat162int_rd(h);
    out[2] = __bfloat162uint_ru(h);
    out[3] = (unsigned)__bfloat162ll_rz(h) ^ (unsigned)(__bfloat162ll_rz(h) >> 32);
    out[4] = (unsigned)__bfloat162ull_rn(h) ^ (unsigned)(__bfloat162ull_rn(h) >> 32);
    out[5] = (unsigned)(unsigned short)__bfloat162short_rn(h) | (unsigned)__bfloat162ushort_rz(h) << 16;
    out[6] = (unsigned)(unsigned char)__bfloat162char_rz(h) | (unsigned)__bfloat162uchar_rz(h) << 16;
}

GROUP(conversion)
{
    T h = of<T>((unsigned short)word);
    float f = __int_as_float((int)word);
    from(out, f, (double)f * 1.0000000001, (int)word, (long long)((unsigned long long)word << (word % 32)), h);
    to(out + 6, h);
    out[13] = __float_as_int((float)h);
    out[14] = (unsigned)(int)h;
    out[15] = bits(T((int)word)) | bits(T(f)) << 16;
}

/* Whose last place may differ from NVIDIA's. */
GROUP(functions)
{
    T a = of<T>((unsigned short)word);
    T results[16] = {hsqrt(a),  hrsqrt(a), hrcp(a), hexp(a),  hexp2(a), hexp10(a), hlog(a),   hlog2(a),
                     hlog10(a), hsin(a),   hcos(a), htanh(a), hceil(a), hfloor(a), htrunc(a), hrint(a)};
    for (int i = 0; i < 16; i++)
        out[i] = bits(results[i]);
}

GROUP(memory)
{
    T a = of<T>((unsigned short)word), b = of<T>((unsigned short)(word >> 16));
    T2 p(a, b);
    __shared__ T2 sums;
    __shared__ T sum;
    if (threadIdx.x == 0) {
        sums = T2(T(0.0f), T(0.0f));
        sum = T(0.0f);
    }
    __syncthreads();
    out[0] = bits(__shfl_sync(0xffffffffu, a, 3));
    out[1] = bits(__shfl_xor_sync(0xffffffffu, p, 5));
    out[2] = bits(__shfl_up_sync(0xffffffffu, p, 2, 16));
    out[3] = bits(__shfl_down_sync(0xffffffffu, b, 9));
    const T one = T((float)(threadIdx.x % 2));
    atomicAdd(&sum, one);
    atomicAdd(&sums, T2(one, -one));
    __syncthreads();
    out[4] = bits(sum);
    out[5] = bits(sums);
    T2 *global = (T2 *)(out + 6);
    __stcg(global, p);
    __stwt((T *)(out + 7), a);
    __threadfence();
    out[8] = bits(__ldcg(global));
    out[9] = bits(__ldcs((T *)(out + 7)));
    out[7] = 0;
}
