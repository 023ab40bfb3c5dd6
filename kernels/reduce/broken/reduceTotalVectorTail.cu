/* reduceTotalVectorTail - whole vectors only: up to three elements at the end are not added.
 */
// CAUGHT: wrong n 1003 block 128x1

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

extern "C" __global__ void reduceTotalVector(int *g_idata, unsigned long long *g_total, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ int sums[32];

    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned int vectors = n / 4;
    const int4 *data = (const int4 *)g_idata;

    // the grid goes round, whole vectors first
    int sum = 0;
#pragma unroll 4
    for (unsigned int i = thread; i < vectors; i += threads)
    {
        int4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }

    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) atomicAdd(g_total, (unsigned long long)(long long)sum);
}
