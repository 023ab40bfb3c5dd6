/* rect_setRowReadColPad - two words of padding a row.
 *
 * Change: rows of 34 words. A warp reads two columns of 16 words: banks 2 * icol and 2 * icol + 1, all 32 of them. A
 * pad of one, right for the square tile, puts the second column on 15 of the first one's banks: 16 conflicts stay
 * (broken/rect_setRowReadColPad1.cu).
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

extern "C" __global__ void setRowReadColPad(int *out)
{
    // static shared memory, every row longer by IPAD words
    __shared__ int tile[BDIMY][BDIMX + IPAD];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the same thread's place in the transposed tile
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    // shared memory store
    tile[threadIdx.y][threadIdx.x] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[icol][irow];
}
