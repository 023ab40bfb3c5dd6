/* write_to_constant - the address of a table in constant memory goes to a kernel that normalises in place. */
// TOOL: memcheck
// EXPECT: write-to-constant line @write
// ALSO: api-error
#include "check.h"

__constant__ float weights[16];

__global__ void normalise(float *w, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i];
    __syncthreads();
    w[threadIdx.x] /= sum; // @write
}

__global__ void weigh(float *out)
{
    out[threadIdx.x] = weights[threadIdx.x];
}

int main()
{
    enum { N = 16 };
    float host[N], *table, *out;
    for (int i = 0; i < N; i++)
        host[i] = 1.0f + i;
    CHECK(cudaMemcpyToSymbol(weights, host, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaGetSymbolAddress((void **)&table, weights));
    normalise<<<1, N>>>(table, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    weigh<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
