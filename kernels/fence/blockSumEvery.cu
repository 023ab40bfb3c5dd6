/* blockSumEvery - the sum of a block's part, with a barrier wherever one might be thought to be needed.
 *
 * The naive rung of the barriers' ladder. A barrier after the fill, one between reading and writing in each round, and
 * a fence and a barrier after it: 1 + 2 log2(bx) for each warp. A fence orders one thread's accesses for others to
 * see; __syncthreads() does that for the block by itself, so the fence is for nothing. Shared memory: rounds of whole
 * warps take W/2 + ... + 1 = W - 1 loads, the last five one each; a store for each load, and W to fill.
 * Limit: all warps wait at every barrier, most of them have had nothing to do.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps + 4 * blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps + 4 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps * (1 + 2 * log2(bx))

#include "../lockstep_device.cuh"

extern "C" __global__ void blockSum(int *out, const int *in, unsigned int n)
{
    __shared__ int sums[1024];
    unsigned int t = threadIdx.x, idx = blockIdx.x * blockDim.x + t;

    // every thread fills its slot, with 0 behind the end of the data
    int sum = idx < n ? in[idx] : 0;
    sums[t] = sum;
    __syncthreads();

    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2)
    {
        int other = t < stride ? sums[t + stride] : 0;
        __syncthreads();

        if (t < stride)
        {
            sum += other;
            sums[t] = sum;
        }
        __threadfence();
        __syncthreads();
    }

    if (t == 0) out[blockIdx.x] = sum;
}
