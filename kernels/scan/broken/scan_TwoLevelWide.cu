/* scan_TwoLevelWide - the second kernel scans as many block sums as it has threads, no more.
 *
 * Right up to bx * bx elements, which is what tests with small data see.
 */
// CAUGHT: wrong n 100000 block 128x1

#include "../../lockstep_device.cuh"

// the sums of the lanes up to and with this one
static __device__ __forceinline__ unsigned int warpScan(unsigned int sum)
{
    unsigned int lane = threadIdx.x % warpSize;
#pragma unroll
    for (unsigned int distance = 1; distance < 32; distance *= 2)
    {
        unsigned int left = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += left;
    }
    return sum;
}

// the sum of all warps before this one, from the warps' own sums; sums[] holds the inclusive ones afterwards
static __device__ __forceinline__ unsigned int warpsBefore(unsigned int *sums, unsigned int own)
{
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == warpSize - 1) sums[warp] = own;
    __syncthreads();

    // the first warp scans as many sums as the block has warps
    if (warp == 0) sums[lane] = warpScan(lane < blockDim.x / warpSize ? sums[lane] : 0);
    __syncthreads();

    return warp > 0 ? sums[warp - 1] : 0;
}

extern "C" __global__ void scanBlocks(unsigned int *out, const unsigned int *in, unsigned int *sums, unsigned int n)
{
    __shared__ unsigned int warps[32];

    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = warpScan(idx < n ? in[idx] : 0);
    sum += warpsBefore(warps, sum);

    if (idx < n) out[idx] = sum;

    // the last thread has the sum of the block's part
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = sum;
}

extern "C" __global__ void scanSums(unsigned int *sums, unsigned int n)
{
    __shared__ unsigned int warps[32];

    unsigned int sum = warpScan(threadIdx.x < n ? sums[threadIdx.x] : 0);
    sum += warpsBefore(warps, sum);
    if (threadIdx.x < n) sums[threadIdx.x] = sum;
}

extern "C" __global__ void addSums(unsigned int *out, const unsigned int *sums, unsigned int n)
{
    // nothing is before the first block
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && idx < n) out[idx] += sums[blockIdx.x - 1];
}
