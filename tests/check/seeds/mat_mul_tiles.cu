/* mat_mul_tiles - the tiled product with guarded loads, and a loop to N / TILE, which leaves out the last, partial
 * tile. */
// TOOL: all
// HARMLESS: no byte is touched that should not be. The sum is too small, which only a comparison shows: the verifier
// finds it (kernels/matmul/broken/MatMulShared.cu).
#include "check.h"

enum { TILE = 16 };

__global__ void MatMulShared(const float *A, const float *B, float *C, int N)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float val = 0;
    for (int t = 0; t < N / TILE; ++t) {
        As[y][x] = row < N && t * TILE + x < N ? A[row * N + t * TILE + x] : 0;
        Bs[y][x] = col < N && t * TILE + y < N ? B[(t * TILE + y) * N + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            val += As[y][i] * Bs[i][x];
        __syncthreads();
    }
    if (row < N && col < N)
        C[row * N + col] = val;
}

int main()
{
    enum { N = 40, GRID = (N + TILE - 1) / TILE };
    static float host[N * N];
    float *A, *B, *C;
    CHECK(cudaMalloc(&A, sizeof host));
    CHECK(cudaMalloc(&B, sizeof host));
    CHECK(cudaMalloc(&C, sizeof host));
    CHECK(cudaMemcpy(A, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(B, host, sizeof host, cudaMemcpyHostToDevice));
    MatMulShared<<<dim3(GRID, GRID), dim3(TILE, TILE)>>>(A, B, C, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, C, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return 0;
}
