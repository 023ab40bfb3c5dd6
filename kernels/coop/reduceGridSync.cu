/* reduceGridSync - the same in one launch: the grid waits for itself.
 *
 * Change: a cooperative launch, whose blocks all run at once, and a barrier of the grid between the blocks' sums and
 * their sum. The barrier here (lockstep_grid.cuh) is a counter in a word that the launch brings: a block's first
 * thread adds one with release, the last to come flips a bit, and the others read the word with acquire until it is
 * flipped. So there is an atomic with a result a block, one without in all, and an unknown number of reads, at least
 * one a block. Two barriers of the block stand around it.
 * Limit: the grid is no larger than what the device holds at once; all but one block wait at the end.
 */
// LET: whole = n % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= n / 32 + ceil_div(blocks, 32) + blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= n / 8 + ceil_div(blocks, 8) + blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks + 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks + 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 0
// EXPECT: lockstep__barriers.sum == 3 * warps + block_warps
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

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
