/* global_read_after_write - sums of blocks, and their running total in the same kernel: block b reads what the blocks
 * before it write, and nothing makes it wait for them. */
// TOOL: racecheck
// EXPECT: global-read-after-write line @before other line @sum
#include "check.h"

__global__ void block_sums(const int *in, int *sums, int *total)
{
    __shared__ int part[64];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++)
            sum += part[i];
        sums[blockIdx.x] = sum; // @sum
        int before = 0;
        for (int b = 0; b < (int)blockIdx.x; b++)
            before += sums[b]; // @before
        total[blockIdx.x] = before + sum;
    }
}

int main()
{
    enum { BLOCKS = 4, N = BLOCKS * 64 };
    static int host[N];
    int *in, *sums, *total;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, BLOCKS * sizeof *sums));
    CHECK(cudaMalloc(&total, BLOCKS * sizeof *total));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    block_sums<<<BLOCKS, 64>>>(in, sums, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, total, BLOCKS * sizeof *total, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(total));
    return 0;
}
