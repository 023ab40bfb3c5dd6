/* write_to_constant_clean - the table in constant memory is copied, and the copy is normalised. */
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

int main()
{
    enum { N = 16 };
    float host[N], *table, *out;
    for (int i = 0; i < N; i++)
        host[i] = 1.0f + i;
    CHECK(cudaMemcpyToSymbol(weights, host, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaGetSymbolAddress((void **)&table, weights));
    CHECK(cudaMemcpy(out, table, sizeof host, cudaMemcpyDeviceToDevice));
    normalise<<<1, N>>>(out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
