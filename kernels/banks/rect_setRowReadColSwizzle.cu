/* rect_setRowReadColSwizzle - the swizzle of a tile with fewer rows than banks.
 *
 * Change: with 16 rows a warp reads two columns; x ^ (2 y) keeps a pair of columns together and moves it to another
 * pair of banks in each row. In general a warp reads 32 / by columns: x ^ (y * 32 / by).
 * Limit: none left in shared memory, where a pad had to be 2.
 */
// AGAINST: rect_setRowReadColPad
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void setRowReadColSwizzle(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMY][BDIMX];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the same thread's place in the transposed tile
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    // so many columns does a warp read at once; they stay together
    unsigned int columns = 32 / blockDim.y;

    // shared memory store: column x of row y stands at x ^ (y * columns)
    tile[threadIdx.y][threadIdx.x ^ (threadIdx.y * columns)] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[icol][irow ^ (icol * columns)];
}
