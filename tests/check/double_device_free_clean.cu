/* double_device_free_clean - the thread that allocated frees, behind a barrier. */
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
    if (threadIdx.x == 0)
        free(scratch);
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
