/* reduceNeighboredGmem - every thread pair sums its two neighbours, in place, in global memory.
 *
 * The naive rung. Round k has stride 2^k: of a warp's 32 lanes 16, 8, 4, 2, 1 work, in all the block's warps, then
 * fewer warps with one lane each. Counted a block of W warps (sectors: one warp's five rounds read 8 + 8 + 8 + 4 +
 * 2): loads 2 * (5 W + W - 1) + 1, load sectors 30 W + 2 (W - 1) + 1, stores 5 W + W - 1 + 1, their sectors 15 W + W
 * - 1 + 1.
 * Limit: global traffic in every round, divergent warps, one lane in 32 at the end.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (12 * block_warps - 1) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (32 * block_warps - 1) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (6 * block_warps) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (16 * block_warps) when whole
// EXPECT: lockstep__barriers.sum == log2(bx) * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void reduceNeighboredGmem(int *g_idata, int *g_odata, unsigned int n)
{
    // set thread ID
    unsigned int tid = threadIdx.x;

    // this block's part of the data, and how much of it there is
    int *idata = g_idata + blockIdx.x * blockDim.x;
    unsigned int left = n - blockIdx.x * blockDim.x;

    // in-place reduction in global memory
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2)
    {
        if (tid % (2 * stride) == 0 && tid + stride < left) idata[tid] += idata[tid + stride];

        // the whole block finishes a round before the next begins
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}
