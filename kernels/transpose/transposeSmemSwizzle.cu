/* transposeSmemSwizzle - a permuted tile instead of a padded one.
 *
 * Change: against transposeSmemPad, element (row, col) stands in column col ^ row of its row. A row stays a row, only
 * permuted, so a warp's store still fills whole rows; and a column is now spread over the banks as a diagonal is. For a
 * square tile of 8, 16 or 32 both sides take one wavefront, where a pad of 2 makes the stores of a 16 x 16 tile take
 * two; and the tile has no unused word. The width must be a power of two.
 * Limit: one load a thread in flight.
 */
// AGAINST: transposeSmemPad
// LET: square = bx == by && (bx == 8 || bx == 16 || bx == 32)
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// LET: rows_aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0
// LET: columns_aligned = by % 8 == 0 && 32 % min(by, 32) == 0 && rows % 8 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole && rows_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole && rows_aligned
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole && columns_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == 4 when whole && columns_aligned
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps when whole && square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole && square
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when whole && square
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when whole && square
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))
#define SWIZZLE(ROW, COL) ((COL) ^ ((ROW) % BDIMX))

extern "C" __global__ void transposeSmemSwizzle(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // static shared memory, no padding
    __shared__ float tile[BDIMY][BDIMX];

    // matrix coordinate
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    // load data from global memory to shared memory, along a row
    if (row < nrows && col < ncols)
    {
        tile[threadIdx.y][SWIZZLE(threadIdx.y, threadIdx.x)] = in[INDEX(row, col, ncols)];
    }

    // thread index in transposed block
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;

    // coordinate in transposed matrix: blocks change places, and neighbours in a warp write neighbours
    unsigned int trow = blockIdx.x * blockDim.x + irow;
    unsigned int tcol = blockIdx.y * blockDim.y + icol;

    // every thread of the block has stored; outside of any branch, so that all of them arrive
    __syncthreads();

    // store data to global memory from shared memory, along a row of the transposed matrix
    if (trow < ncols && tcol < nrows)
    {
        out[INDEX(trow, tcol, nrows)] = tile[icol][SWIZZLE(icol, irow)];
    }
}
