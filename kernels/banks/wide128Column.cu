/* wide128Column - a column of rows of eight int4.
 *
 * Change: rows are 32 words, and the 8 lanes of a phase read 8 rows of one column: the same four banks eight times.
 * 4 phases of 8 wavefronts: 32, of which 28 are conflicts.
 * Limit: bank conflicts, 8-way.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 32 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 28 * warps
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void wide128Column(int4 *out)
{
    // static shared memory, rows of 8 elements
    __shared__ int4 tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // squares of 8 x 8 elements: the thread's square, row and column
    unsigned int square = idx / 64 * 8, row = idx / 8 % 8, col = idx % 8;

    // shared memory store
    tile[(square + row) * 8 + col] = make_int4(4 * idx, 4 * idx + 1, 4 * idx + 2, 4 * idx + 3);

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: transposed
    int4 word = tile[(square + col) * 8 + row];
    out[idx] = make_int4(word.x, word.y, word.z, word.w);
}
