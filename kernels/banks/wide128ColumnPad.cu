/* wide128ColumnPad - one element of padding a row.
 *
 * Change: rows of nine int4. The pad must be a whole element, or rows would not be aligned to 16 bytes. Eight rows are
 * 36 words apart: they begin at banks 0, 4, 8, ... 28.
 * Limit: 128 bytes a wavefront, and an eighth more memory.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void wide128ColumnPad(int4 *out)
{
    // static shared memory, rows of 8 elements and one that is free
    __shared__ int4 tile[128 * 9];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // squares of 8 x 8 elements: the thread's square, row and column
    unsigned int square = idx / 64 * 8, row = idx / 8 % 8, col = idx % 8;

    // shared memory store
    tile[(square + row) * 9 + col] = make_int4(4 * idx, 4 * idx + 1, 4 * idx + 2, 4 * idx + 3);

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: transposed
    int4 word = tile[(square + col) * 9 + row];
    out[idx] = make_int4(word.x, word.y, word.z, word.w);
}
