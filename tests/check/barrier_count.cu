/* barrier_count - a barrier for the threads that have work, by their number: 40 is no whole number of warps. */
// TOOL: synccheck
// EXPECT: barrier-count line @barrier
#include "check.h"

__global__ void turn(int *data, int n)
{
    __shared__ int tile[128];
    int t = threadIdx.x;
    int count = n;
    if (t < count) {
        tile[t] = t < n ? data[t] : 0;
        asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory"); // @barrier
        if (t < n)
            data[t] = tile[n - 1 - t];
    }
}

int main()
{
    enum { N = 40 };
    int host[N] = {0}, *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    turn<<<1, 128>>>(data, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
