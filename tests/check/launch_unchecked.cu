/* launch_unchecked - a block of 2,048 threads is refused, and nobody asks: the copy that follows succeeds and brings
 * what was there before. */
// TOOL: errorcheck
// EXPECT: launch-unchecked line @launch
// ALSO: status-dropped
#include "check.h"

__global__ void increment(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i]++;
}

int main()
{
    enum { N = 4096, BLOCK = 2048 };
    static int host[N];
    int *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    increment<<<N / BLOCK, BLOCK>>>(data, N); // @launch
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[0]);
    CHECK(cudaFree(data));
    return 0;
}
