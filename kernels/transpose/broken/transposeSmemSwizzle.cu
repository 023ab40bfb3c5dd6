/* transposeSmemSwizzle - permuted on one side only.
 *
 * The store puts (row, col) into column col ^ row; the load forgets and takes column irow as it stands. Only the first
 * row of the tile, whose permutation is none, comes out right.
 */
// LET: square = bx == by && (bx == 8 || bx == 16 || bx == 32)
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when whole && square
// EXPECT: lockstep__barriers.sum == warps
// CAUGHT: wrong size 64x64 block 16x16

#include "../../lockstep_device.cuh"

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

    // coordinate in transposed matrix
    unsigned int trow = blockIdx.x * blockDim.x + irow;
    unsigned int tcol = blockIdx.y * blockDim.y + icol;

    __syncthreads();

    // the tile's columns are not where they were
    if (trow < ncols && tcol < nrows)
    {
        out[INDEX(trow, tcol, nrows)] = tile[icol][irow];
    }
}
