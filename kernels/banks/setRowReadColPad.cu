/* setRowReadColPad - one word of padding a row.
 *
 * Change: rows are 33 words apart, so the words of a column lie in 32 different banks. 128 bytes of shared memory buy
 * the removal of every conflict at 32 x 32.
 * Limit: none left in shared memory. (At 16 x 16 a warp holds two rows, the pad shifts the second one by one bank
 * onto the first: pads depend on shapes.)
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

extern "C" __global__ void setRowReadColPad(int *out)
{
    // static shared memory, every row longer by IPAD words
    __shared__ int tile[BDIMY][BDIMX + IPAD];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[threadIdx.y][threadIdx.x] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[threadIdx.x][threadIdx.y];
}
