/* broadcastFour - lanes 3, 4, 5 and 7 read one word, the others their own.
 *
 * Change: a bank is asked by four lanes, but for one word: it is read once and given to all of them. Only different
 * words on one bank conflict.
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

extern "C" __global__ void broadcastFour(int *out)
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

    // shared memory load: four lanes want word 5
    out[idx] = tile[first + (lane == 3 || lane == 4 || lane == 7 ? 5 : lane)];
}
