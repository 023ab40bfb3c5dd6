/* array1d - a shared array of one dimension, declared in the kernel.
 *
 * Change: the threads read it from the end. A warp reads 32 neighbouring words in reverse: one wavefront.
 * Limit: none.
 */
// AGAINST: strideOne
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void array1d(int *out)
{
    // static shared memory, a word a thread
    __shared__ int tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[idx] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: from the end
    out[idx] = tile[blockDim.x * blockDim.y - 1 - idx];
}
