/* histShared_equal - the same kernel, but all bytes are equal.
 *
 * Change: the data. All 32 lanes add to one word of one bank. That ought to be 32 wavefronts; but a sum of ones whose
 * result nobody reads is an instruction of its own (ATOMS.POPC.INC), which counts the lanes of a word at once: one.
 * Limit: none that the data make; of a sum of other numbers it would be 32 wavefronts a request.
 */
// AGAINST: histShared
// LET: equal = n % (16 * bx) == 0 && k == 1
// LET: whole = n % (16 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 8 * blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 8 * blocks
// EXPECT: lockstep__barriers.sum == 2 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum == 16 * warps when equal
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum == 0 when equal

#include "../lockstep_device.cuh"

#define EACH 16

extern "C" __global__ void histShared(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes, a block apart
    unsigned int first = blockIdx.x * blockDim.x * EACH;
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;
        if (idx < n) atomicAdd(&own[data[idx]], 1u);
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
