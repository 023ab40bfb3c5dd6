/* wideDouble - eight bytes a lane: two phases.
 *
 * Change: the array is of double. 32 lanes ask for 64 words, twice what the banks give at once, so an access goes by
 * half-warps: two phases, each one wavefront when its 32 words lie in 32 banks. That is no conflict; it is the least.
 * Limit: 128 bytes a wavefront, as with any width.
 */
// AGAINST: array1d
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void wideDouble(double *out)
{
    // static shared memory, eight bytes a thread
    __shared__ double tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[idx] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: from the end
    out[idx] = tile[blockDim.x * blockDim.y - 1 - idx];
}
