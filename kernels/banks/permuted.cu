/* permuted - the 32 lanes read 32 words in disorder.
 *
 * Change: lane i reads word 13 i + 7 modulo 32. One lane a bank, so the order does not matter.
 * Limit: none.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void permuted(int *out)
{
    // static shared memory, a word a thread
    __shared__ int tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int lane = idx % warpSize, first = idx - lane;

    // shared memory store
    tile[idx] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: each word of the warp, in disorder
    out[idx] = tile[first + (13 * lane + 7) % warpSize];
}
