/* block_ShuffleOwn - adds the inclusive sum of the own warp, not of the warps before it.
 */
// CAUGHT: wrong n 1000 block 128x1

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

    return sums[warp];
}

extern "C" __global__ void blockShuffle(unsigned int *out, const unsigned int *in, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ unsigned int sums[32];

    // no thread leaves early: all of them take part in the shuffles and at the barriers
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = warpScan(idx < n ? in[idx] : 0);
    sum += warpsBefore(sums, sum);

    if (idx < n) out[idx] = sum;
}
