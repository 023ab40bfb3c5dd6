/* matrix_multiply_warp - one tile of A in shared memory, a row a warp, and __syncwarp() alone behind the load. */
// TOOL: all
// HARMLESS: a row of the tile is written and read by the same warp (w = 32 threads wide), so ordering the warp is
// enough.
#include "check.h"

enum { w = 32 };

__global__ void MatrixMultiply(const float *a, const float *b, float *c, int N)
{
    __shared__ float sa[w][w]; // printed as pointers, which does not compile
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    sa[threadIdx.y][threadIdx.x] = a[row * w + threadIdx.x];
    __syncwarp();
    for (int i = 0; i < w; i++)
        sum += sa[threadIdx.y][i] * b[i * N + col];
    c[row * N + col] = sum;
}

int main()
{
    enum { N = 2 * w };
    static float host[N * N];
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, w * N * sizeof *a));
    CHECK(cudaMalloc(&b, w * N * sizeof *b));
    CHECK(cudaMalloc(&c, sizeof host));
    CHECK(cudaMemcpy(a, host, w * N * sizeof *a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, w * N * sizeof *b, cudaMemcpyHostToDevice));
    MatrixMultiply<<<dim3(N / w, N / w), dim3(w, w)>>>(a, b, c, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    return 0;
}
