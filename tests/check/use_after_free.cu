/* use_after_free - the scratch buffer is freed between two passes that both use it. */
// TOOL: memcheck
// EXPECT: use-after-free line @second
// ALSO: api-error
#include "check.h"

__global__ void square(const int *in, int *scratch, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        scratch[i] = in[i] * in[i];
}

__global__ void neighbours(const int *scratch, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = scratch[i] + scratch[(i + 1) % n]; // @second
}

int main()
{
    enum { N = 300, BLOCK = 128, GRID = (N + BLOCK - 1) / BLOCK };
    static int host[N];
    int *in, *scratch, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&scratch, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    square<<<GRID, BLOCK>>>(in, scratch, N);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(scratch)); // @free
    neighbours<<<GRID, BLOCK>>>(scratch, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
