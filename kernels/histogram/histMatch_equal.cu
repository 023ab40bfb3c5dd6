/* histMatch_equal - the same kernel, but all bytes are equal.
 *
 * Change: the data. One lane adds 32: one wavefront a request, where histShared_equal takes 32.
 * Limit: the 16 loads of one sector each.
 */
// AGAINST: histShared_equal
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

extern "C" __global__ void histMatch(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes, a block apart; all lanes take part in every exchange
    unsigned int first = blockIdx.x * blockDim.x * EACH;
    unsigned int lane = threadIdx.x % warpSize;
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;

        // 256 is no byte: lanes behind the end of the data find only each other
        unsigned int value = idx < n ? data[idx] : 256;

        // the lanes with the same value; the lowest of them adds for all
        unsigned int same = __match_any_sync(0xffffffff, value);
        if (idx < n && (int)lane == __ffs(same) - 1) atomicAdd(&own[value], (unsigned int)__popc(same));
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
