/* MatMulShared - as printed: N / TILE tiles.
 *
 * The loads are guarded, but the loop ends at the last whole tile: with an inner length of 40 the last 8 products of
 * every element are missing.
 */
// LET: tiles = (k - k % 32) / 32
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps
// CAUGHT: wrong size 40x40 k 40

#include "../../lockstep_device.cuh"

#define TILE 32

extern "C" __global__ void MatMulShared(float *c, const float *a, const float *b, unsigned int nrows,
                                        unsigned int ncols, unsigned int inner)
{
    __shared__ float sa[TILE][TILE];
    __shared__ float sb[TILE][TILE];

    // coordinate in C
    unsigned int row = blockIdx.y * TILE + threadIdx.y;
    unsigned int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (unsigned int t = 0; t < inner / TILE; t++)
    {
        // each thread loads one element of each tile; zeros outside
        unsigned int acol = t * TILE + threadIdx.x, brow = t * TILE + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = row < nrows && acol < inner ? a[row * inner + acol] : 0.0f;
        sb[threadIdx.y][threadIdx.x] = brow < inner && col < ncols ? b[brow * ncols + col] : 0.0f;
        __syncthreads();

        for (unsigned int i = 0; i < TILE; i++)
        {
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < nrows && col < ncols)
    {
        c[row * ncols + col] = sum;
    }
}
