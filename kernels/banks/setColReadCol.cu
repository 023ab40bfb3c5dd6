/* setColReadCol - store by columns, load by columns: what swapping the two indices costs.
 *
 * Change: x and y are swapped in both accesses. A warp walks down a column, whose words are one row apart; with rows
 * of 32 words that is the same bank 32 times, so each access takes 32 wavefronts instead of one.
 * Limit: bank conflicts on both sides, warps * 31 = 992 each at 32 x 32. In general (B a power of two) a warp holds B
 * columns of 32 / B rows; B / (32 / B) words fall on each bank in use, B * B / 32 wavefronts.
 */
// LET: square = bx == by && bx >= 8 && 32 % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps * (bx * bx / 32) when square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == warps * ((bx * bx / 32) - 1) when square
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps * (bx * bx / 32) when square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == warps * ((bx * bx / 32) - 1) when square
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void setColReadCol(int *out)
{
    // static shared memory, the tile's columns first
    __shared__ int tile[BDIMX][BDIMY];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[threadIdx.x][threadIdx.y] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[threadIdx.x][threadIdx.y];
}
