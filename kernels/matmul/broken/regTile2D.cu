/* regTile2D - no barrier before the tile is overwritten.
 *
 * The second barrier of the loop is missing: a warp that is through with a tile stores the next one while others still
 * multiply with this one.
 */
// LET: tiles = ceil_div(k, 16)
// EXPECT: lockstep__barriers.sum == tiles * warps
// CAUGHT: wrong size 64x64 k 64

#include "../../lockstep_device.cuh"

#define BM 64 // rows of C a block
#define BN 64 // columns of C a block
#define BK 16 // steps a tile
#define TM 4  // rows of C a thread
#define TN 4  // columns of C a thread
#define THREADS 256

extern "C" __global__ void regTile2D(float *c, const float *a, const float *b, unsigned int nrows, unsigned int ncols,
                                     unsigned int inner)
{
    __shared__ float sa[BM][BK];
    __shared__ float sb[BK][BN];

    // the block's corner in C, and the thread's results in the block
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    unsigned int trow = threadIdx.x / (BN / TN) * TM, tcol = threadIdx.x % (BN / TN) * TN;
    float sum[TM][TN] = {{0.0f}};

    for (unsigned int k0 = 0; k0 < inner; k0 += BK)
    {
        // neighbours load neighbours; zeros outside
#pragma unroll
        for (unsigned int e = threadIdx.x; e < BM * BK; e += THREADS)
        {
            unsigned int row = row0 + e / BK, col = k0 + e % BK;
            sa[e / BK][e % BK] = row < nrows && col < inner ? a[row * inner + col] : 0.0f;
        }
#pragma unroll
        for (unsigned int e = threadIdx.x; e < BK * BN; e += THREADS)
        {
            unsigned int row = k0 + e / BN, col = col0 + e % BN;
            sb[e / BN][e % BN] = row < inner && col < ncols ? b[row * ncols + col] : 0.0f;
        }
        __syncthreads();

#pragma unroll
        for (unsigned int kk = 0; kk < BK; kk++)
        {
            float av[TM], bv[TN];
#pragma unroll
            for (unsigned int i = 0; i < TM; i++)
            {
                av[i] = sa[trow + i][kk];
            }
#pragma unroll
            for (unsigned int j = 0; j < TN; j++)
            {
                bv[j] = sb[kk][tcol + j];
            }
#pragma unroll
            for (unsigned int i = 0; i < TM; i++)
            {
#pragma unroll
                for (unsigned int j = 0; j < TN; j++)
                {
                    sum[i][j] += av[i] * bv[j];
                }
            }
        }
    }

#pragma unroll
    for (unsigned int i = 0; i < TM; i++)
    {
#pragma unroll
        for (unsigned int j = 0; j < TN; j++)
        {
            unsigned int row = row0 + trow + i, col = col0 + tcol + j;
            if (row < nrows && col < ncols)
            {
                c[row * ncols + col] = sum[i][j];
            }
        }
    }
}
