/* sumSquaresNeighbored - the exercise: the sum of x * x, one number a block, so that no two blocks write one place.
 *
 * A thread squares one element; neighbouring pairs are added in shared memory as in reduceNeighboredSmem, and cost the
 * same. Sums are exact: 1024 squares of at most 1000 are 1.024e9, below 2^31. (All of them are not: add the blocks'
 * sums in 64 bits.)
 * Limit: the divergent rounds.
 */
// AGAINST: reduceNeighboredSmem
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks * (12 * block_warps - 1)
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == blocks * (7 * block_warps - 1)
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == (log2(bx) + 1) * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void sumSquares(int *g_idata, int *g_odata, unsigned int n)
{
    // dynamic shared memory: blockDim.x words
    extern __shared__ int smem[];

    // set thread ID
    unsigned int tid = threadIdx.x;

    // every thread squares its element, with 0 behind the end of the data
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int x = idx < n ? g_idata[idx] : 0;
    smem[tid] = x * x;
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
