/* strideTwo - lane i reads word 2 i.
 *
 * Change: every second word. Lanes i and i + 16 are 32 words apart, on one bank: 16 banks work, two words on each.
 * Two wavefronts, one conflict a warp. (A block of one warp wraps around in its 32 words: both lanes then read the
 * same word, which is free.)
 * Limit: every second bank is idle.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2 * warps when threads > 32
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == warps when threads > 32
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void strideTwo(int *out)
{
    // static shared memory, a word a thread
    __shared__ int tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int threads = blockDim.x * blockDim.y;

    // shared memory store
    tile[idx] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: every second word
    out[idx] = tile[idx * 2 % threads];
}
