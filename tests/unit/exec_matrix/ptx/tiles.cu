/* tiles.cu - d = 2 a b + c by warps, through nvcc's mma.h or, with clang, the builtins that such a header is made of.
 *
 *     nvcc -ptx -arch=compute_90 -o tiles_nvcc.ptx tiles.cu
 *     clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O3 -S -o tiles_clang.ptx tiles.cu */
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include <__clang_cuda_builtin_vars.h>
extern "C" __global__ void tiles(const int *a, const int *b, const float *c, float *d, int n, int k)
{
    const int row = blockIdx.y * 16, col = blockIdx.x * 16;
    int x[8], y[8];
    float sum[8] = {0}, add[8];
    for (int j = 0; j < k; j += 16) {
        __hmma_m16n16k16_ld_a(x, a + (row * k + j) / 2, k, 0);
        __hmma_m16n16k16_ld_b(y, b + (col * k + j) / 2, k, 1);
        __hmma_m16n16k16_mma_f32f32(sum, x, y, sum, 1, 0);
    }
    __hmma_m16n16k16_ld_c_f32(add, c + row * n + col, n, 0);
    for (int i = 0; i < 8; i++)
        add[i] += 2 * sum[i];
    __hmma_m16n16k16_st_c_f32(d + row * n + col, add, n, 0);
}
#else
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void tiles(const half *a, const half *b, const float *c, float *d, int n, int k)
{
    const int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, add;
    wmma::fill_fragment(sum, 0.0f);
    for (int j = 0; j < k; j += 16) {
        wmma::load_matrix_sync(x, a + row * k + j, k);
        wmma::load_matrix_sync(y, b + col * k + j, k);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::load_matrix_sync(add, c + row * n + col, n, wmma::mem_row_major);
    for (int i = 0; i < add.num_elements; i++)
        add.x[i] += 2 * sum.x[i];
    wmma::store_matrix_sync(d + row * n + col, add, n, wmma::mem_row_major);
}
#endif
