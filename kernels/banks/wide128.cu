/* wide128 - 16 bytes a lane: four phases.
 *
 * Change: the array is of int4. An access goes by quarter-warps of 8 lanes: four phases, four wavefronts, no conflict.
 * A wavefront still moves 128 bytes: wide accesses save instructions, not wavefronts.
 * Limit: 128 bytes a wavefront.
 */
// AGAINST: wideDouble
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void wide128(int4 *out)
{
    // static shared memory, four words a thread
    __shared__ int4 tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[idx] = make_int4(4 * idx, 4 * idx + 1, 4 * idx + 2, 4 * idx + 3);

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: from the end
    int4 word = tile[blockDim.x * blockDim.y - 1 - idx];
    out[idx] = make_int4(word.x, word.y, word.z, word.w);
}
