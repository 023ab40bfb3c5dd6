/* wide64Pairs - neighbouring lanes read the same int2.
 *
 * Change: lanes i and i ^ 1 have one address, in the whole warp. Then the hardware merges both phases of a load into
 * one: 16 different pairs are 32 words, one wavefront. (The same holds for lanes i and i ^ 2. Stores never merge.)
 * Limit: none.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void wide64Pairs(int2 *out)
{
    // static shared memory, two words a thread
    __shared__ int2 tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[idx] = make_int2(2 * idx, 2 * idx + 1);

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: a pair for two lanes
    out[idx] = tile[idx / 2];
}
