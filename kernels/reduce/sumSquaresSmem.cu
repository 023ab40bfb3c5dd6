/* sumSquaresSmem - without divergence: strides from large to small.
 *
 * Change: the second exercise. Threads that work are neighbours: W / 2 + ... + 1 = W - 1 warps work as a whole in the
 * first rounds, one warp in the last five; each time two loads and a store. Only those five diverge.
 * Limit: a barrier a round.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks * (2 * block_warps + 9)
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == blocks * (2 * block_warps + 4)
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
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1)
    {
        if (tid < stride) smem[tid] += smem[tid + stride];

        // the whole block finishes a round before the next begins
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}
