/* transposeSmemUnrollPad - two elements a thread, padded rows.
 *
 * Change: rows of 34 words: columns lie at banks 2 * icol, the second of a warp's two at the odd ones. Stores as
 * before.
 * Limit: DRAM. The fastest rung of the ladder on the GPUs it was recorded on.
 */
// LET: tile16 = bx == 16 && by == 16
// LET: whole = rows % by == 0 && cols % (2 * bx) == 0 && threads % 32 == 0
// LET: rows_aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0
// LET: columns_aligned = by % 8 == 0 && 32 % min(by, 32) == 0 && rows % 8 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole && rows_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole && rows_aligned
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps when whole && columns_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == 4 when whole && columns_aligned
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2 * warps when whole && tile16
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole && tile16
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 4 * warps when whole && tile16
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 2 * warps when whole && tile16
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))
#define IPAD 2

extern "C" __global__ void transposeSmemUnrollPad(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // static shared memory, two blocks wide, with padding
    __shared__ float tile[BDIMY][BDIMX * 2 + IPAD];

    // matrix coordinate, and that of the second element, a block further
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col2 = col + blockDim.x;

    // load data from global memory to shared memory, along a row
    if (row < nrows && col < ncols)
    {
        tile[threadIdx.y][threadIdx.x] = in[INDEX(row, col, ncols)];
    }
    if (row < nrows && col2 < ncols)
    {
        tile[threadIdx.y][blockDim.x + threadIdx.x] = in[INDEX(row, col2, ncols)];
    }

    // thread index in transposed block
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;

    // coordinate in transposed matrix: blocks change places, and neighbours in a warp write neighbours
    unsigned int trow = 2 * blockIdx.x * blockDim.x + irow;
    unsigned int trow2 = trow + blockDim.x;
    unsigned int tcol = blockIdx.y * blockDim.y + icol;

    // every thread of the block has stored; outside of any branch, so that all of them arrive
    __syncthreads();

    // store data to global memory from shared memory, along a row of the transposed matrix
    if (trow < ncols && tcol < nrows)
    {
        out[INDEX(trow, tcol, nrows)] = tile[icol][irow];
    }
    if (trow2 < ncols && tcol < nrows)
    {
        out[INDEX(trow2, tcol, nrows)] = tile[icol][blockDim.x + irow];
    }
}
