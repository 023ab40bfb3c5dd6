/* reduceGridSyncPlain - the tutorial's call: a kernel with a barrier of the grid, launched like any other.
 *
 * Only a cooperative launch promises that all blocks run at once, and only it brings the word that the barrier counts
 * in. `<<<>>>` does neither: the kernel stops with a trap (cooperative groups do the same), and where the barrier's
 * word is one's own, a grid that does not fit the device waits for ever.
 */
// CAUGHT: fault n 1000 block 128x1

#include "../../lockstep_grid.cuh"

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

extern "C" __global__ void reduceGridSync(int *total, const int *in, int *partial, unsigned int n)
{
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;

    ls_grid_sync();

    if (blockIdx.x > 0) return;
    sum = 0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0) *total = sum;
}
