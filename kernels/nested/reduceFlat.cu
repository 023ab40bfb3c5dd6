/* reduceFlat - the sum of each block's part, in place, by a loop.
 *
 * The partner of gpuRecursiveReduce: the same additions in the same places, a round of the loop for a level of the
 * recursion. W warps: rounds of whole warps take W - 1 times two loads and a store, the last five one warp's, whose
 * words lie in 2, 1, 1, 1, 1 sectors; then the sum is loaded and stored once more. A barrier a round.
 * Limit: global memory in every round (see reduce for better).
 */
// AGAINST: helloWorldFlat
// LET: whole = n % bx == 0 && bx >= 64
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (2 * block_warps + 9) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (8 * block_warps + 5) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (block_warps + 5) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (4 * block_warps + 3) when whole
// EXPECT: lockstep__barriers.sum == warps * log2(bx)

#include "../lockstep_grid.cuh"

extern "C" __global__ void reduceFlat(int *g_idata, int *g_odata, unsigned int isize, unsigned int n)
{
    // this block's part of the data, and how much of it there is
    unsigned int tid = threadIdx.x, left = n - blockIdx.x * isize;
    int *idata = g_idata + blockIdx.x * isize;

    for (unsigned int istride = isize / 2; istride > 0; istride /= 2)
    {
        if (tid < istride && tid + istride < left) idata[tid] += idata[tid + istride];
        __syncthreads();
    }

    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}
