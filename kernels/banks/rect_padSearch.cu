/* rect_padSearch - k words of padding a row: which k is right?
 *
 * Change: the pad is an argument. With 16 rows a warp reads columns c and c + 1: banks k * row + c and k * row + c +
 * 1. An odd k makes the two columns meet; k = 2, 6, 10, ... puts one on the even and one on the odd banks; a multiple
 * of 4 has rows meet. With 32 rows it is one column, and every odd k is right.
 *     lockstep climb banks/rect_padSearch --sweep k=1,2,3,4,5,6,7,8
 * Limit: none left in shared memory at k = 2; 128 bytes.
 */
// AGAINST: rect_setRowReadColDynPad
// LET: tall = bx == 32 && by == 32
// LET: flat = bx == 32 && by == 16
// LET: free = flat && k % 4 == 2 || tall && k % 2 == 1
// LET: two = flat && (k % 2 == 1 || k % 8 == 4) || tall && k % 4 == 2
// LET: four = flat && k % 16 == 8 || tall && k % 8 == 4
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when bx == 32
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when bx == 32
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps when free
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2 * warps when two
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 4 * warps when four
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when free
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void padSearch(int *out, unsigned int pad)
{
    // dynamic shared memory: the launch says how much
    extern __shared__ int tile[];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the same thread's place in the transposed tile
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    // words of the padded tile, by row and transposed
    unsigned int row_idx = threadIdx.y * (blockDim.x + pad) + threadIdx.x;
    unsigned int col_idx = icol * (blockDim.x + pad) + irow;

    // shared memory store
    tile[row_idx] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[col_idx];
}
