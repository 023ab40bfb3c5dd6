/* array1dFile - the same array, declared outside the kernel: all kernels of the file may use it.
 *
 * Change: the place of the declaration. A kernel that names the array has it in every block of its own, and its words
 * lie where they lay: no counter moves. (Kernels do not see each other's contents.)
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

// static shared memory, a word a thread; file scope
__shared__ int tile[1024];

extern "C" __global__ void array1dFile(int *out)
{
    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[idx] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: from the end
    out[idx] = tile[blockDim.x * blockDim.y - 1 - idx];
}
