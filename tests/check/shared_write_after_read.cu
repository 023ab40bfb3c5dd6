/* shared_write_after_read - a tiled product without the second barrier: the fast warps load the next tile while others
 * still read this one. */
// TOOL: racecheck
// EXPECT: shared-write-after-read line @load other line @use
// ALSO: shared-read-after-write
#include "check.h"

enum { TILE = 16 };

__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        as[y][x] = a[row * n + tile + x];      // @load
        bs[y][x] = b[(tile + y) * n + column]; // @load
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x]; // @use
    }
    c[row * n + column] = sum;
}

int main()
{
    enum { N = 2 * TILE };
    static float host[N * N];
    float *a, *b, *c;
    for (int i = 0; i < N * N; i++)
        host[i] = (float)(i % 7);
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&c, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    product<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    return 0;
}
