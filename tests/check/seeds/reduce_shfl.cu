/* reduce_shfl - threads behind the end return, then the rest shuffles with everybody; and the first warp reads the sums
 * of all warps of a block, also those of warps that are gone. */
// TOOL: all
// EXPECT: mask-names-exited line @shuffle
// EXPECT: barrier-after-exit line @barrier
// EXPECT: uninitialized-shared line @sums
#include "check.h"

enum { SMEMDIM = 4 }; // warps of a block

__device__ __forceinline__ int warpReduce(int sum)
{
    for (int lane = 16; lane > 0; lane /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, lane); // printed without _sync, which is gone; @shuffle
    return sum;
}

__global__ void reduceShfl(const int *g_idata, int *g_odata, unsigned int n)
{
    __shared__ int smem[SMEMDIM];
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n)
        return;
    int laneIdx = threadIdx.x % warpSize, warpIdx = threadIdx.x / warpSize;
    int sum = warpReduce(g_idata[idx]);
    if (laneIdx == 0)
        smem[warpIdx] = sum;
    __syncthreads(); // @barrier
    if (threadIdx.x < warpSize)
        sum = threadIdx.x < SMEMDIM ? smem[laneIdx] : 0; // @sums
    if (warpIdx == 0)
        sum = warpReduce(sum);
    if (threadIdx.x == 0)
        g_odata[blockIdx.x] = sum;
}

int main()
{
    enum { BLOCK = 32 * SMEMDIM, N = 2 * BLOCK + 40, BLOCKS = 3 };
    static int host[N], sums[BLOCKS];
    int *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof sums));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reduceShfl<<<BLOCKS, BLOCK>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
