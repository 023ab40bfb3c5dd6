/* global_read_after_write_fence - the last block to finish adds up all sums; the ticket is atomic, but no fence stands
 * between the sum and the ticket. */
// TOOL: racecheck
// EXPECT: global-read-after-write line @add other line @sum
#include "check.h"

__device__ unsigned tickets;

__global__ void sum_all(const int *in, int *sums, int *total)
{
    __shared__ bool last;
    __shared__ int part[32];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 32; i++)
            sum += part[i];
        sums[blockIdx.x] = sum; // @sum
        last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < (int)gridDim.x; b++)
            sum += sums[b]; // @add
        *total = sum;
    }
}

int main()
{
    enum { BLOCKS = 4, N = BLOCKS * 32 };
    static int host[N];
    int *in, *sums, *total;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, BLOCKS * sizeof *sums));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum_all<<<BLOCKS, 32>>>(in, sums, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, total, sizeof *total, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(total));
    return 0;
}
