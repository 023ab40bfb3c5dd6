/* tensor - products of matrix fragments (wmma) in half, bfloat16, 8-bit integers, tf32 and double, and arithmetic in
 * half and bfloat16. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include "program.h"

using namespace nvcuda;

enum { M = 32, N = 32, K = 48 };

template <class T, class Sum> __global__ void gemm(Sum *c, const T *a, const T *b)
{
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> fc;
    wmma::fill_fragment(fc, (Sum)0);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fa, a + row * K + k, K);
        wmma::load_matrix_sync(fb, b + col * K + k, K);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = fc.x[i] * (Sum)2;
    wmma::store_matrix_sync(c + row * N + col, fc, N, wmma::mem_row_major);
}

/* Small whole numbers: every product and sum is exact in every type. */
static int value(int i)
{
    return i * 7 % 11 - 5;
}

template <class T, class Sum> static void run(const char *what)
{
    static T a[M * K], b[N * K];
    static Sum c[M * N];
    T *d_a, *d_b;
    Sum *d_c;
    int bad = 0;
    for (int i = 0; i < M * K; i++)
        a[i] = (T)(float)value(i);
    for (int i = 0; i < N * K; i++)
        b[i] = (T)(float)value(i + 3);
    CHECK(cudaMalloc(&d_a, sizeof a));
    CHECK(cudaMalloc(&d_b, sizeof b));
    CHECK(cudaMalloc(&d_c, sizeof c));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
    gemm<T, Sum><<<dim3(N / 16, M / 16), 32>>>(d_c, d_a, d_b);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += value(i * K + k) * value(j * K + k + 3);
            bad += (float)c[i * N + j] != 2.0f * sum;
        }
    verdict(bad == 0, "%s", what);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
}

/* One product of the shapes that tf32 and double have: 16 x 16 x 8, and 8 x 8 x 4. */
template <int M_, int N_, int K_, class Fragment, class T> __global__ void one_product(T *c, const T *a, const T *b)
{
    wmma::fragment<wmma::matrix_a, M_, N_, K_, Fragment, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M_, N_, K_, Fragment, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M_, N_, K_, T> fc;
    wmma::fill_fragment(fc, (T)1);
    wmma::load_matrix_sync(fa, a, K_);
    wmma::load_matrix_sync(fb, b, K_);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, N_, wmma::mem_row_major);
}

template <int M_, int N_, int K_, class Fragment, class T> static void run_one(const char *what)
{
    T a[M_ * K_], b[N_ * K_], c[M_ * N_], *d_a, *d_b, *d_c;
    int bad = 0;
    for (int i = 0; i < M_ * K_; i++)
        a[i] = (T)value(i);
    for (int i = 0; i < N_ * K_; i++)
        b[i] = (T)value(i + 3);
    CHECK(cudaMalloc(&d_a, sizeof a));
    CHECK(cudaMalloc(&d_b, sizeof b));
    CHECK(cudaMalloc(&d_c, sizeof c));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
    one_product<M_, N_, K_, Fragment, T><<<1, 32>>>(d_c, d_a, d_b);
    CHECK(cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M_; i++)
        for (int j = 0; j < N_; j++) {
            int sum = 1;
            for (int k = 0; k < K_; k++)
                sum += value(i * K_ + k) * value(j * K_ + k + 3);
            bad += c[i * N_ + j] != sum;
        }
    verdict(bad == 0, "%s", what);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
}

__global__ void half_arithmetic(float *out)
{
    __half a = __float2half(1.5f), b = __float2half(-0.25f);
    __half2 p = __floats2half2_rn(3.0f, 4.0f), q = __half2half2(a);
    out[0] = __half2float(a + b);
    out[1] = __half2float(a * b);
    out[2] = __half2float(__hfma(a, b, a));
    out[3] = __low2float(__hmul2(p, q));
    out[4] = __high2float(__hadd2(p, q));
    out[5] = __half2float(hsqrt(__float2half(9.0f)));
    out[6] = __hgt(a, b) + 2 * __hlt(a, b);
    out[7] = __half2float(__float2half(65520.0f)); // rounds to infinity
    out[8] = __half2float(__float2half(0.1f));
    out[9] = __half2float(__hmax(a, b));
    __nv_bfloat16 c = __float2bfloat16(1.0f + 1.0f / 128), d = __float2bfloat16(3.0f);
    out[10] = __bfloat162float(c);
    out[11] = __bfloat162float(c * d);
    out[12] = __bfloat162float(__hfma(c, d, d));
    out[13] = __bfloat162float(__float2bfloat16(1.0f + 1.0f / 512)); // rounds to even
    atomicAdd((__half *)&out[14], a);
}

static void half_and_bfloat(void)
{
    const float want[14] = {1.25f,    -0.375f,          1.125f, 4.5f,       5.5f,     3,        1,
                            INFINITY, 0.0999755859375f, 1.5f,   1.0078125f, 3.03125f, 6.03125f, 1};
    float got[15], *device;
    CHECK(cudaMalloc(&device, sizeof got));
    CHECK(cudaMemset(device, 0, sizeof got));
    half_arithmetic<<<1, 1>>>(device);
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 14; i++)
        if (got[i] != want[i])
            printf("[%d] %.9g, not %.9g: ", i, got[i], want[i]);
    verdict(memcmp(got, want, sizeof want) == 0, "arithmetic in half and bfloat16");
    unsigned bits;
    memcpy(&bits, &got[14], sizeof bits);
    verdict(bits == 0x3e00, "an atomic sum in half");
    CHECK(cudaFree(device));
}

int main()
{
    run<__half, float>("half, sums in float");
    run<__half, __half>("half, sums in half");
    run<__nv_bfloat16, float>("bfloat16");
    run<signed char, int>("8-bit integers");
    run_one<16, 16, 8, wmma::precision::tf32, float>("tf32");
    run_one<8, 8, 4, double, double>("double");
    half_and_bfloat();
    return failures;
}
