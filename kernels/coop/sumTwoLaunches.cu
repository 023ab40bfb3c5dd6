/* sumTwoLaunches - the sum of n integers: a sum a block, and a second launch that adds them.
 *
 * The end of a launch is the oldest barrier of a whole grid: all that the first launch wrote, the second one sees.
 * Threads go round (element idx, idx + threads, ...), so that the grid is the same as with a barrier inside. A warp's
 * load is 4 sectors; the second launch, of one block, loads the blocks' sums, 32 a request. Barriers: one for each
 * block's sum.
 * Limit: two launches, with the device empty in between.
 */
// LET: whole = n % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 32 + ceil_div(blocks, 32) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 8 + ceil_div(blocks, 8) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks + 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == 0
// EXPECT: lockstep__barriers.sum == warps + block_warps
// EXPECT: lockstep__launches.sum == 2

#include "../lockstep_device.cuh"

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

extern "C" __global__ void sumBlocks(int *partial, const int *in, unsigned int n)
{
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void addSums(int *total, const int *partial, unsigned int blocks)
{
    int sum = 0;
    for (unsigned int i = threadIdx.x; i < blocks; i += blockDim.x) sum += partial[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0) *total = sum;
}
