/* reduceTotalAtomicBlock - one atomic a block.
 *
 * Change: blocks sum as in reduceShfl, and thread 0 adds the block's sum to the total: B atomics instead of n, and no
 * second kernel. The order of the additions is open; for integers that is all the same.
 * Limit: one load a thread in flight.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

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

extern "C" __global__ void reduceTotalAtomicBlock(int *g_idata, unsigned long long *g_total, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ int sums[32];

    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = blockSum(sums, idx < n ? g_idata[idx] : 0);

    // a negative number is added modulo 2^64
    if (threadIdx.x == 0) atomicAdd(g_total, (unsigned long long)(long long)sum);
}
