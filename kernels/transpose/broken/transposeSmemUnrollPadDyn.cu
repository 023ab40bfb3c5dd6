/* transposeSmemUnrollPadDyn - as printed: blocks do not change places.
 *
 * The same fault as in the printed transposeSmemPad: right for square blocks, where it stores as naiveGmem does;
 * wrong with the block of 32 x 16 that the text recommends.
 */
// LET: whole = rows % by == 0 && cols % (2 * bx) == 0 && threads % 32 == 0
// LET: apart = bx >= 4 && 32 % bx == 0 && rows % 8 == 0 && by % (32 / bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole && bx == by
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 2 * bx * warps when whole && bx == by && apart
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == bx when whole && bx == by && apart
// CAUGHT: any size 64x64 block 32x16

#include "../../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))
#define IPAD 1

extern "C" __global__ void transposeSmemUnrollPadDyn(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // dynamic shared memory
    extern __shared__ float tile[];

    // matrix coordinate, and that of the second element, a block further
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col2 = col + blockDim.x;

    // thread index in transposed block
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;

    if (row < nrows && col < ncols)
    {
        tile[INDEX(threadIdx.y, threadIdx.x, blockDim.x * 2 + IPAD)] = in[INDEX(row, col, ncols)];
    }
    if (row < nrows && col2 < ncols)
    {
        tile[INDEX(threadIdx.y, blockDim.x + threadIdx.x, blockDim.x * 2 + IPAD)] = in[INDEX(row, col2, ncols)];
    }

    // thread synchronization
    __syncthreads();

    // coordinate in transposed matrix: not that of the thread's new place
    if (row < nrows && col < ncols)
    {
        out[INDEX(col, row, nrows)] = tile[INDEX(irow, icol, blockDim.x * 2 + IPAD)];
    }
    if (row < nrows && col2 < ncols)
    {
        out[INDEX(col2, row, nrows)] = tile[INDEX(irow, blockDim.x + icol, blockDim.x * 2 + IPAD)];
    }
}
