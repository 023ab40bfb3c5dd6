/* copy_not_awaited_clean - a tile on its way to shared memory: each thread waits for its copy, then all for all. */
#include "check.h"

__global__ void turned(const float4 *in, float4 *out)
{
    __shared__ float4 tile[64];
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    __pipeline_memcpy_async(&tile[t], &in[first + t], sizeof tile[t]);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[first + t] = tile[blockDim.x - 1 - t]; // @use
}

int main()
{
    enum { N = 192 };
    static float4 host[N];
    float4 *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    turned<<<N / 64, 64>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
