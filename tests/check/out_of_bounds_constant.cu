/* out_of_bounds_constant - a filter of nine taps in a table for eight: the loop runs to the end inclusive. */
// TOOL: memcheck
// EXPECT: out-of-bounds line @tap
// ALSO: api-error
#include "check.h"

__constant__ float taps[8];

__global__ void filter(const float *in, float *out, int n, int ntaps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int j = 0; j < ntaps; j++)
        sum += taps[j] * in[(i + j) % n]; // @tap
    if (i < n)
        out[i] = sum;
}

int main()
{
    enum { N = 200, BLOCK = 64 };
    static float host[N];
    float *in, *out;
    const float halves[8] = {0.5f, 0.25f, 0.125f};
    CHECK(cudaMemcpyToSymbol(taps, halves, sizeof halves));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    filter<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, N, 8 + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
