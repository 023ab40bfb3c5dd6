/* blockSumLastWarp - the last warp goes on alone.
 *
 * Change: from stride 16 on, one warp reads only what it has written itself: __syncwarp() orders its lanes, the other
 * warps are done. Barriers: one in front of each round of whole warps, log2(bx) - 5 for each warp. Memory accesses as
 * before.
 * Limit: the rounds of whole warps still need the block.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps + 4 * blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps + 4 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps * (log2(bx) - 5)

#include "../lockstep_device.cuh"

extern "C" __global__ void blockSum(int *out, const int *in, unsigned int n)
{
    __shared__ int sums[1024];
    unsigned int t = threadIdx.x, idx = blockIdx.x * blockDim.x + t;

    // every thread fills its slot, with 0 behind the end of the data
    int sum = idx < n ? in[idx] : 0;
    sums[t] = sum;

    for (unsigned int stride = blockDim.x / 2; stride >= warpSize; stride /= 2)
    {
        // what the round before wrote is there; this round writes nothing that it reads
        __syncthreads();
        if (t < stride)
        {
            sum += sums[t + stride];
            sums[t] = sum;
        }
    }

    // the first warp alone; all its lanes come to each __syncwarp()
    for (unsigned int stride = warpSize / 2; t < warpSize && stride > 0; stride /= 2)
    {
        __syncwarp();
        if (t < stride)
        {
            sum += sums[t + stride];
            sums[t] = sum;
        }
    }

    if (t == 0) out[blockIdx.x] = sum;
}
