/* double_device_free - one thread allocates for the block; every thread frees. */
// TOOL: memcheck
// EXPECT: double-device-free line @free
// ALSO: api-error
#include "check.h"

__global__ void scratch_sum(int *out)
{
    __shared__ int *scratch;
    if (threadIdx.x == 0)
        scratch = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    if (scratch == NULL)
        return;
    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    free(scratch); // @free
}

int main()
{
    enum { N = 64 };
    int host[N], *out;
    CHECK(cudaMalloc(&out, sizeof host));
    scratch_sum<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
