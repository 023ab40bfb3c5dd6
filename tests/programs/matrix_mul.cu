/* matrix_mul - the tiled product as a template over the tile, with ragged edges. */
#include <cuda_runtime.h>

#include "program.h"

template <int TILE> __global__ void matrix_mul(float *c, const float *a, const float *b, int m, int n, int k)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        int ka = t + threadIdx.x, kb = t + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = col < n && kb < k ? b[kb * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

template <int TILE> static void run(int m, int n, int k)
{
    size_t na = (size_t)m * k, nb = (size_t)k * n, nc = (size_t)m * n;
    float *a = new float[na], *b = new float[nb], *c = new float[nc];
    for (size_t i = 0; i < na; i++)
        a[i] = random_unit() - 0.5f;
    for (size_t i = 0; i < nb; i++)
        b[i] = random_unit() - 0.5f;
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, na * sizeof *a));
    CHECK(cudaMalloc(&d_b, nb * sizeof *b));
    CHECK(cudaMalloc(&d_c, nc * sizeof *c));
    CHECK(cudaMemcpy(d_a, a, na * sizeof *a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, nb * sizeof *b, cudaMemcpyHostToDevice));
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matrix_mul<TILE><<<grid, block>>>(d_c, d_a, d_b, m, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, d_c, nc * sizeof *c, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0; // a sum of k products is off by at most k ulp of its terms
            for (int l = 0; l < k; l++) {
                sum += (double)a[i * k + l] * b[l * n + j];
                size += fabs((double)a[i * k + l] * b[l * n + j]);
            }
            bad += !near(c[i * n + j], sum, k * 6e-8 * size);
        }
    verdict(bad == 0, "%d x %d x %d in tiles of %d", m, n, k, TILE);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    delete[] a;
    delete[] b;
    delete[] c;
}

int main()
{
    run<16>(64, 96, 80);
    run<32>(96, 64, 64);
    run<16>(33, 17, 65);
    run<8>(1, 1, 1);
    return failures;
}
