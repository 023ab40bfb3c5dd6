/* reduceShfl - warps sum in registers, with shuffles.
 *
 * Change: five butterfly exchanges leave a warp's sum in each of its lanes; shared memory carries one word a warp,
 * written by one lane each and read by the first warp at once. One barrier.
 * Limit: one load a thread in flight (unroll it). The printed form returns early, before a full-mask shuffle and the
 * barrier, and reads slots nobody wrote when the block is smaller than it was compiled for: here a thread without
 * data holds 0, and the block's size is asked.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (block_warps) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (4 * block_warps) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (1) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (1) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks * (1) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == blocks * (block_warps) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when whole
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

static __device__ __forceinline__ int warpReduce(int localSum)
{
    localSum += __shfl_xor_sync(0xffffffff, localSum, 16);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 8);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 4);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 2);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 1);

    return localSum;
}

extern "C" __global__ void reduceShfl(int *g_idata, int *g_odata, unsigned int n)
{
    // shared memory for each warp sum: a block has at most 32 warps
    __shared__ int smem[32];

    // no thread leaves early: all of them take part in the shuffles and at the barrier
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int localSum = idx < n ? g_idata[idx] : 0;

    // calculate lane index and warp index
    int laneIdx = threadIdx.x % warpSize;
    int warpIdx = threadIdx.x / warpSize;

    // block-wide warp reduce
    localSum = warpReduce(localSum);

    // save warp sum to shared memory
    if (laneIdx == 0) smem[warpIdx] = localSum;

    // block synchronization
    __syncthreads();

    // last warp reduce, over as many sums as the block has warps
    if (warpIdx == 0)
    {
        localSum = threadIdx.x < blockDim.x / warpSize ? smem[laneIdx] : 0;
        localSum = warpReduce(localSum);
    }

    // write result for this block to global mem
    if (threadIdx.x == 0) g_odata[blockIdx.x] = localSum;
}
