/* array3dDynFile - the same cube in dynamic shared memory, declared outside the kernel.
 *
 * Change: dynamic shared memory has one dimension, so the sum is written out. No counter moves: not for static or
 * dynamic, kernel or file.
 * Limit: one conflict a warp.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == warps
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

// dynamic shared memory, file scope: the launch says how much
extern __shared__ int cube[];

extern "C" __global__ void array3dDynFile(int *out)
{
    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the thread's place in the cube
    unsigned int x = idx % 8, y = idx / 8 % 8, z = idx / 64;

    // shared memory store
    cube[z * 64 + y * 8 + x] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = cube[z * 64 + x * 8 + y];
}
