/* global_read_after_write_clean - sums of blocks, and their running total in a kernel of its own. */
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
    }
}

__global__ void running_total(const int *sums, int *total)
{
    int sum = 0;
    for (int b = 0; b <= (int)threadIdx.x; b++)
        sum += sums[b];
    total[threadIdx.x] = sum;
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
    running_total<<<1, BLOCKS>>>(sums, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, total, BLOCKS * sizeof *total, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(total));
    return 0;
}
