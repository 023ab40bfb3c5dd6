/* lastBlockSumNoFence - the ticket without fences.
 *
 * The ticket is atomic, and that is all it is: it says that a block has come here, not that its sum can be seen. The
 * last block adds what was in memory before.
 */
// CAUGHT: wrong n 65536 block 128x1

#include "../../lockstep_device.cuh"

// the block's sum, in all lanes of the first warp
static __device__ __forceinline__ int blockSum(int sum)
{
    __shared__ int warpSums[32];
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (lane == 0) warpSums[warp] = sum;
    __syncthreads();
    if (warp == 0)
    {
        sum = lane < blockDim.x / warpSize ? warpSums[lane] : 0;
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    return sum;
}

extern "C" __global__ void lastBlockSum(int *total, const int *in, int *partial, unsigned int *ticket, unsigned int n)
{
    __shared__ bool last;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = blockSum(idx < n ? in[idx] : 0);

    if (threadIdx.x == 0)
    {
        partial[blockIdx.x] = sum;
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    // all blocks' sums are there: the whole block adds them
    sum = 0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0)
    {
        *total = sum;
        *ticket = 0;
    }
}
