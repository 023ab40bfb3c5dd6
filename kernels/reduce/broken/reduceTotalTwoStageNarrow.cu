/* reduceTotalTwoStageNarrow - the second kernel adds one sum a thread, and the others are lost.
 *
 * Right as long as there are no more blocks than threads in one: small tests pass.
 */
// CAUGHT: wrong n 100000 block 128x1

#include "../../lockstep_device.cuh"

// lane 0 gets the sum of the warp
static __device__ __forceinline__ int warpSum(int sum)
{
#pragma unroll
    for (unsigned int down = 16; down > 0; down >>= 1) sum += __shfl_down_sync(0xffffffff, sum, down);
    return sum;
}

// thread 0 gets the sum of the block, by one word a warp
static __device__ __forceinline__ int blockSum(int *sums, int sum)
{
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    sum = warpSum(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sum = warpSum(lane < blockDim.x / warpSize ? sums[lane] : 0);
    return sum;
}

extern "C" __global__ void reduceTotalTwoStage(int *g_idata, int *g_odata, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ int sums[32];

    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = blockSum(sums, idx < n ? g_idata[idx] : 0);

    // write result for this block to global mem
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
}

// lane 0 gets the sum of the warp; a shuffle moves 32 bits
static __device__ __forceinline__ long long warpSum64(long long sum)
{
#pragma unroll
    for (unsigned int down = 16; down > 0; down >>= 1)
    {
        unsigned int low = __shfl_down_sync(0xffffffff, (unsigned int)sum, down);
        unsigned int high = __shfl_down_sync(0xffffffff, (unsigned int)(sum >> 32), down);
        sum += (long long)((unsigned long long)high << 32 | low);
    }
    return sum;
}

extern "C" __global__ void addSums(int *g_sums, long long *g_total, unsigned int n)
{
    __shared__ long long sums[32];

    // one block, one sum a thread
    long long sum = threadIdx.x < n ? g_sums[threadIdx.x] : 0;

    // the block's sum, as above but of 64 bits
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    sum = warpSum64(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sum = warpSum64(lane < blockDim.x / warpSize ? sums[lane] : 0);

    if (threadIdx.x == 0) *g_total = sum;
}
