/* byRowPad - a word of padding after every row, as the tutorial draws it.
 *
 * Change: after every N words, N the number of banks, one is left free: rows of six words for five banks. A column
 * goes through all of them.
 *     lockstep climb banks/byRowPad --block 5x5 --banks 5x4
 * Limit: none left in shared memory.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// LET: square = bx == by && bx >= 8 && 32 % bx == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == by when square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when square
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == by when square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when square
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

#define IPAD 1

extern "C" __global__ void byRowPad(int *out)
{
    // dynamic shared memory: the launch says how much
    extern __shared__ int tile[];

    // mapping from thread index to word of the tile, by row and by column
    unsigned int row_idx = threadIdx.y * (blockDim.x + IPAD) + threadIdx.x;
    unsigned int col_idx = threadIdx.x * (blockDim.x + IPAD) + threadIdx.y;

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store, a row of threads at a time
    for (unsigned int row = 0; row < blockDim.y; row++)
    {
        if (threadIdx.y == row) tile[row_idx] = idx;
        __syncwarp();
    }

    // every thread of the block has stored
    __syncthreads();

    // shared memory load, a row of threads at a time
    int word = 0;
    for (unsigned int row = 0; row < blockDim.y; row++)
    {
        if (threadIdx.y == row) word = tile[col_idx];
        __syncwarp();
    }
    out[idx] = word;
}
