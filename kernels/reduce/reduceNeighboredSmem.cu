/* reduceNeighboredSmem - neighbouring pairs, but in shared memory.
 *
 * Change: the data are read once, 4 sectors a warp, and one word a block is written; the rounds work in shared
 * memory. Loads there as in reduceNeighboredGmem, stores too, plus one a warp to fill. Words of one warp lie in one
 * row of 32 banks, so there are no conflicts.
 * Limit: the divergent rounds, and the remainder operation in each.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (block_warps) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (4 * block_warps) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (1) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (1) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks * (12 * block_warps - 1) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == blocks * (7 * block_warps - 1) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when whole
// EXPECT: lockstep__barriers.sum == (log2(bx) + 1) * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void reduceNeighboredSmem(int *g_idata, int *g_odata, unsigned int n)
{
    // static shared memory
    __shared__ int smem[BDIMX];

    // set thread ID
    unsigned int tid = threadIdx.x;

    // every thread fills its slot, with 0 behind the end of the data
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    smem[tid] = idx < n ? g_idata[idx] : 0;
    __syncthreads();

    // in-place reduction in shared memory
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2)
    {
        if (tid % (2 * stride) == 0) smem[tid] += smem[tid + stride];

        // the whole block finishes a round before the next begins
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}
