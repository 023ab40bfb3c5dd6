/* transposeSmemPad - as printed: blocks do not change places.
 *
 * The output index is (col, row) of the input's place, so a store's lanes are nrows floats apart, as in naiveGmem:
 * the tile buys nothing. The load tile[irow][icol] only fits square blocks; in one of 32 x 16 it reads row 31 of 16.
 * And the barrier stands inside the boundary test, where ragged blocks do not all arrive.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// LET: apart = bx >= 4 && 32 % bx == 0 && rows % 8 == 0 && by % (32 / bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole && bx == by
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == bx * warps when whole && bx == by && apart
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == bx when whole && bx == by && apart
// CAUGHT: any size 64x64 block 32x16

#include "../../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))
#define IPAD 1

extern "C" __global__ void transposeSmemPad(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // static shared memory with padding
    __shared__ float tile[BDIMY][BDIMX + IPAD];

    // matrix coordinate
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    // thread index in transposed block
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;

    // transpose with boundary test
    if (row < nrows && col < ncols)
    {
        // load data from global memory to shared memory
        tile[threadIdx.y][threadIdx.x] = in[INDEX(row, col, ncols)];

        // thread synchronization
        __syncthreads();

        // store data to global memory from shared memory
        out[INDEX(col, row, nrows)] = tile[irow][icol];
    }
}
