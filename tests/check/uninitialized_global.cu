/* uninitialized_global - a histogram whose counters nobody set to zero. */
// TOOL: initcheck
// EXPECT: uninitialized-global line @count
#include "check.h"

__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i] % 16], 1u); // @count
}

int main()
{
    enum { N = 1000, BLOCK = 128, BINS = 16 };
    static unsigned char host[N];
    unsigned char *in;
    unsigned *bins, counts[BINS];
    for (int i = 0; i < N; i++)
        host[i] = (unsigned char)(i * i);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&bins, sizeof counts));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    histogram<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(in, bins, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(bins));
    return 0;
}
