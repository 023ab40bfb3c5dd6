/* blockSumNeeded - the barriers that are needed, and no others.
 *
 * Change: a round reads slots from `stride` on and writes slots below it, so nothing in it need wait for anything;
 * what it reads was written in the round before. That is one barrier in front of each round: log2(bx) for each warp.
 * No fence: a barrier makes what was written before it visible to the block. Memory accesses as before.
 * Limit: the last five rounds are one warp's, and all warps wait for it.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps + 4 * blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps + 4 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps * log2(bx)

#include "../lockstep_device.cuh"

extern "C" __global__ void blockSum(int *out, const int *in, unsigned int n)
{
    __shared__ int sums[1024];
    unsigned int t = threadIdx.x, idx = blockIdx.x * blockDim.x + t;

    // every thread fills its slot, with 0 behind the end of the data
    int sum = idx < n ? in[idx] : 0;
    sums[t] = sum;

    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2)
    {
        // what the round before wrote is there; this round writes nothing that it reads
        __syncthreads();
        if (t < stride)
        {
            sum += sums[t + stride];
            sums[t] = sum;
        }
    }

    if (t == 0) out[blockIdx.x] = sum;
}
