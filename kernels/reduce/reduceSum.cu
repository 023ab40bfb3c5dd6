/* reduceSum - floats, as the tutorial on high performance has it.
 *
 * The type changes nothing that is counted: sumSquaresSmem's rounds. The result does change with the order of the
 * additions; a tree's error grows with its depth, log2(bx), not with the number of elements. Halving needs a power of
 * two of threads, which the text does not say (broken/reduceSum.cu).
 * Limit: a barrier a round.
 */
// AGAINST: sumSquaresSmem
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

extern "C" __global__ void reduceSum(float *input, float *output, int n)
{
    // dynamic shared memory: blockDim.x words
    extern __shared__ float sdata[];

    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + tid;

    // every thread fills its slot, with 0 behind the end of the data
    sdata[tid] = (idx < n) ? input[idx] : 0.0f;
    __syncthreads();

    // in-place reduction in shared memory
    for (int s = blockDim.x / 2; s > 0; s >>= 1)
    {
        if (tid < s) sdata[tid] += sdata[tid + s];

        // the whole block finishes a round before the next begins
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) output[blockIdx.x] = sdata[0];
}
