/* global_write_after_read - smoothing in place: a block's last thread reads the next block's first element, before or
 * after that one has replaced it. */
// TOOL: racecheck
// EXPECT: global-write-after-read line @write other line @read
#include "check.h"

__global__ void smooth(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float next = i + 1 < n ? data[i + 1] : 0; // @read
    float mean = i < n ? (data[i] + next) / 2 : 0;
    __syncthreads(); // the block has read
    if (i < n)
        data[i] = mean; // @write
}

int main()
{
    enum { N = 200, BLOCK = 64 };
    static float host[N];
    float *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    smooth<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(data, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
