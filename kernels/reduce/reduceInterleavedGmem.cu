/* reduceInterleavedGmem - strides from large to small.
 *
 * Change: round k adds the upper half to the lower half, so that working threads are neighbours: whole warps work or
 * rest, and only the last five rounds diverge. Rounds of whole warps: W/2 + ... + 1 = W - 1, each two loads of 4
 * sectors. The last five rounds, one warp: 10 loads of 2+2, 1+1, 1+1, 1+1, 1+1 sectors; at last one word is read and
 * written.
 * Limit: still two loads and a store to global memory for every addition, and a barrier a round.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (2 * block_warps + 9) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (8 * block_warps + 5) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (block_warps + 5) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (4 * block_warps + 3) when whole
// EXPECT: lockstep__barriers.sum == log2(bx) * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void reduceInterleavedGmem(int *g_idata, int *g_odata, unsigned int n)
{
    // set thread ID
    unsigned int tid = threadIdx.x;

    // this block's part of the data, and how much of it there is
    int *idata = g_idata + blockIdx.x * blockDim.x;
    unsigned int left = n - blockIdx.x * blockDim.x;

    // in-place reduction in global memory
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1)
    {
        if (tid < stride && tid + stride < left) idata[tid] += idata[tid + stride];

        // the whole block finishes a round before the next begins
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}
