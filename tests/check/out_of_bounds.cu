/* out_of_bounds - the last block has more threads than there are elements left, and nobody asks: four blocks of 256
 * threads for 1,000 elements. */
// TOOL: memcheck
// EXPECT: out-of-bounds line @add
// ALSO: api-error
#include "check.h"

__global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = a[i] + b[i]; // @add
}

int main()
{
    enum { N = 1000, BLOCK = 256 };
    static float host[N];
    float *a, *b, *sum;
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&sum, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    add<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, sum, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, sum, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(sum));
    return 0;
}
