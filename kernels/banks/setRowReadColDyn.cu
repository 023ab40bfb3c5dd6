/* setRowReadColDyn - the same in dynamic shared memory.
 *
 * Change: `extern __shared__`, one-dimensional; the kernel does the row and column arithmetic itself.
 * Limit: as before. Banks are chosen by the address; how the memory was declared does not matter.
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

extern "C" __global__ void setRowReadColDyn(int *out)
{
    // dynamic shared memory: the launch says how much
    extern __shared__ int tile[];

    // mapping from thread index to word of the tile, by row and by column
    unsigned int row_idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int col_idx = threadIdx.x * blockDim.y + threadIdx.y;

    // shared memory store
    tile[row_idx] = row_idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[row_idx] = tile[col_idx];
}
