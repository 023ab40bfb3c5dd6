/* barrier_invalid_clean - a barrier of its own for each pair of warps, from number 0. */
#include "check.h"

__global__ void swap_pairs(int *data)
{
    __shared__ int tile[1024];
    int t = threadIdx.x, pair = t / 64;
    tile[t] = data[t];
    asm volatile("bar.sync %0, 64;" ::"r"(pair) : "memory");
    data[t] = tile[t ^ 32];
}

int main()
{
    enum { N = 1024 };
    static int host[N];
    int *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    swap_pairs<<<1, N>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
