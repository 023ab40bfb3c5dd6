/* rect_setColReadCol - a tile of 32 rows of 16 words, accessed by columns.
 *
 * Change: the tile is declared [BDIMX][BDIMY] so that the swapped indices stay inside it. A column's words are 16
 * apart: 32 lanes share 2 banks, 16 words on each: 16 wavefronts an access, 15 conflicts a warp, 240 in all. That is
 * a 16-way conflict. The tutorial's table calls it 2-way: two is the number of banks in use, not of words a bank.
 * Limit: bank conflicts in load and store. In general 32 / by banks are in use, with by words on each.
 */
// LET: halves = bx == 32 && 32 % by == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps * by when halves
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == warps * (by - 1) when halves
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps * by when halves
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == warps * (by - 1) when halves
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
