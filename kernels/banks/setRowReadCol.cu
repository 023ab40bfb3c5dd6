/* setRowReadCol - store by rows, load by columns: a transposition.
 *
 * Change: only the load walks down a column. Each half of the conflict can be removed on its own: the store is free
 * now.
 * Limit: the load, 992 conflicts at 32 x 32. Swapping the two indices transposes a square tile only: in any other
 * shape the load would read words that nobody wrote (the rectangular rungs say how it is done there).
 */
// LET: square = bx == by && bx >= 8 && 32 % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps * (bx * bx / 32) when square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == warps * ((bx * bx / 32) - 1) when square
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void setRowReadCol(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMY][BDIMX];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[threadIdx.y][threadIdx.x] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[threadIdx.x][threadIdx.y];
}
