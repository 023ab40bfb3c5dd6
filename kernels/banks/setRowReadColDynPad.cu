/* setRowReadColDynPad - padding by index arithmetic, in dynamic shared memory.
 *
 * Change: the row length in the arithmetic is blockDim.x + IPAD; the launch asks for that many words.
 * Limit: none left in shared memory, as with the static tile.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when bx == 32
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when bx == 32
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps when bx == 32 && by == 32
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when bx == 32 && by == 32
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

#define IPAD 1

extern "C" __global__ void setRowReadColDynPad(int *out)
{
    // dynamic shared memory: the launch says how much
    extern __shared__ int tile[];

    // mapping from thread index to word of the padded tile, by row and by column
    unsigned int row_idx = threadIdx.y * (blockDim.x + IPAD) + threadIdx.x;
    unsigned int col_idx = threadIdx.x * (blockDim.x + IPAD) + threadIdx.y;

    // mapping from thread index to global memory index
    unsigned int g_idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[row_idx] = g_idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[g_idx] = tile[col_idx];
}
