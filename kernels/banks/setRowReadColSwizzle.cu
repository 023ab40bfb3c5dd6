/* setRowReadColSwizzle - no padding: column x of row y stands at x ^ y.
 *
 * Change: within a row of the tile the words change places, in each row in another way, so that a column's words lie
 * in 32 banks. It needs no memory, and a power of two of columns. At 16 x 16 and 8 x 8, where a pad of one makes rows
 * collide, it is free of conflicts too: rows of a warp stay what they were, 32 neighbouring words.
 * Limit: none left in shared memory.
 */
// AGAINST: setRowReadColPad
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// LET: square = bx == by && bx >= 8 && 32 % bx == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when square
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps when square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when square
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void setRowReadColSwizzle(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMY][BDIMX];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store: column x of row y stands at x ^ y
    tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}
