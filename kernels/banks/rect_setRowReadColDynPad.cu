/* rect_setRowReadColDynPad - the two words of padding by index arithmetic.
 *
 * Change: dynamic shared memory, rows of blockDim.x + IPAD words.
 * Limit: none left in shared memory at 32 x 16.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when bx == 32
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when bx == 32
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps when bx == 32 && by == 16
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when bx == 32 && by == 16
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

#define IPAD 2

extern "C" __global__ void setRowReadColDynPad(int *out)
{
    // dynamic shared memory: the launch says how much
    extern __shared__ int tile[];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the same thread's place in the transposed tile
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    // words of the padded tile, by row and transposed
    unsigned int row_idx = threadIdx.y * (blockDim.x + IPAD) + threadIdx.x;
    unsigned int col_idx = icol * (blockDim.x + IPAD) + irow;

    // shared memory store
    tile[row_idx] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[col_idx];
}
