/* matrix_mul_shared - the tiled product without any guard, of matrices that tiles of 16 do not divide: loads and stores
 * leave the matrices at the bottom, and at the right edge a block stores into the next rows, which belong to other
 * blocks. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: out-of-bounds line @load
// EXPECT: out-of-bounds line @store
// EXPECT: output-written-twice line @store
// ALSO: write-to-constant global-write-after-write global-same-value
#include "check.h"

__global__ void matrixMulShared(const float *A, const float *B, float *C, int N)
{
    __shared__ float sA[16][16], sB[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float value = 0.0f;
    for (int k = 0; k < N / 16; ++k) {
        sA[threadIdx.y][threadIdx.x] = A[row * N + k * 16 + threadIdx.x]; // @load
        sB[threadIdx.y][threadIdx.x] = B[(k * 16 + threadIdx.y) * N + col];
        __syncthreads();
        for (int n = 0; n < 16; ++n)
            value += sA[threadIdx.y][n] * sB[n][threadIdx.x];
        __syncthreads();
    }
    C[row * N + col] = value; // @store
}

int main()
{
    enum { N = 40, GRID = (N + 15) / 16 };
    static float host[N * N];
    float *A, *B, *C;
    for (int i = 0; i < N * N; i++)
        host[i] = (float)(i % 11);
    CHECK(cudaMalloc(&A, sizeof host));
    CHECK(cudaMalloc(&B, sizeof host));
    CHECK(cudaMalloc(&C, sizeof host));
    CHECK(cudaMemcpy(A, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(B, host, sizeof host, cudaMemcpyHostToDevice));
    matrixMulShared<<<dim3(GRID, GRID), dim3(16, 16)>>>(A, B, C, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, C, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return 0;
}
