/* launch_unchecked_clean - blocks of 1,024 threads, and a check behind the launch. */
#include "check.h"

__global__ void increment(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i]++;
}

int main()
{
    enum { N = 4096, BLOCK = 1024 };
    static int host[N];
    int *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    increment<<<N / BLOCK, BLOCK>>>(data, N); // @launch
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[0]);
    CHECK(cudaFree(data));
    return 0;
}
