/* matrixMulShared - as printed, on sizes that 16 does not divide.
 *
 * N / 16 tiles drop the ragged end of the inner length; and without a test the threads behind the last column store
 * into the next row, those behind the last row behind C.
 */
// LET: tiles = (k - k % 16) / 16
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps
// CAUGHT: any size 40x40 k 40

#include "../../lockstep_device.cuh"

#define TILE 16

extern "C" __global__ void matrixMulShared(float *c, const float *a, const float *b, unsigned int /* nrows */,
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
        // each thread loads one element of each tile
        sa[threadIdx.y][threadIdx.x] = a[row * inner + t * TILE + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * ncols + col];
        __syncthreads();

        for (unsigned int i = 0; i < TILE; i++)
        {
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * ncols + col] = sum;
}
