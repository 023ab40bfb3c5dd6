/* mmaSwizzle, broken: a tile's rows of 128 bytes lie as they are in memory. The eight rows that a quarter of a warp reads by ldmatrix
 * are in the same four banks: eight wavefronts where one would do. The result is right.
 */
// CAUGHT: claim size 128x128 k 64
// CLAIM: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0

#include "../../lockstep_wmma.cuh"

#define BM 64 // rows of C a block
#define BN 64 // columns of C a block
#define BK 64 // steps a tile
#define THREADS 128

typedef unsigned short tile[64][64];

// where piece p of row r begins
static __device__ __forceinline__ unsigned short *piece(tile &t, unsigned int r, unsigned int p)
{
    return &t[r][p * 8]; // FAULT: the same piece of eight rows is in four banks
}

// 64 rows of 64 elements from (row, col) on; zeros outside
static __device__ __forceinline__ void copy_tile(tile &t, const unsigned short *m, unsigned int row, unsigned int col, unsigned int nrows,
                                                 unsigned int ncols)
{
#pragma unroll
    for (unsigned int i = threadIdx.x; i < 64 * 8; i += THREADS)
    {
        unsigned int y = row + i / 8, x = col + i % 8 * 8;
        unsigned short *to = piece(t, i / 8, i % 8);
        const unsigned short *p = m + y * ncols + x;
        if (ncols % 8 == 0)
        {
            *(float4 *)to = y < nrows && x < ncols ? __ldg((const float4 *)p) : make_float4(0, 0, 0, 0);
            continue;
        }
        for (unsigned int j = 0; j < 8; j++)
        {
            to[j] = y < nrows && x + j < ncols ? p[j] : 0;
        }
    }
}

static __device__ __forceinline__ void store2(float *c, unsigned int row, unsigned int col, unsigned int nrows, unsigned int ncols, float u,
                                              float v)
{
    float *p = c + row * ncols + col;
    if (row < nrows && col < ncols && ncols % 2 == 0)
    {
        __stwb((float2 *)p, make_float2(u, v));
    }
    else if (row < nrows && col < ncols)
    {
        p[0] = u;
        if (col + 1 < ncols)
        {
            p[1] = v;
        }
    }
}

extern "C" __global__ void mmaSwizzle(float *c, const unsigned short *a, const unsigned short *b, unsigned int nrows, unsigned int ncols,
                                      unsigned int inner)
{
    __shared__ __align__(128) tile sa, sb;

    // the block's corner in C, and the warp's 32 x 32 results in the block: two by four products of 16 x 8
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned int wrow = warp / 2 * 32, wcol = warp % 2 * 32;
    float sum[2][4][4] = {};

    for (unsigned int k0 = 0; k0 < inner; k0 += BK)
    {
        copy_tile(sa, a, row0, k0, nrows, inner);
        copy_tile(sb, b, k0, col0, inner, ncols);
        __syncthreads();

#pragma unroll
        for (unsigned int k = 0; k < BK; k += 16)
        {
            unsigned int x[2][4], y[2][4];
#pragma unroll
            for (unsigned int i = 0; i < 2; i++)
            {
                ls_ldmatrix(x[i], piece(sa, wrow + i * 16 + lane % 16, k / 8 + lane / 16));
                ls_ldmatrix_trans(y[i], piece(sb, k + lane % 16, wcol / 8 + i * 2 + lane / 16));
            }
#pragma unroll
            for (unsigned int i = 0; i < 8; i++)
            {
                ls_mma(sum[i / 4][i % 4], x[i / 4], y[i % 4 / 2] + i % 2 * 2);
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (unsigned int i = 0; i < 8; i++)
    {
        const float *s = sum[i / 4][i % 4];
        unsigned int row = row0 + wrow + i / 4 * 16 + lane / 4, col = col0 + wcol + i % 4 * 8 + lane % 4 * 2;
        store2(c, row, col, nrows, ncols, s[0], s[1]);
        store2(c, row + 8, col, nrows, ncols, s[2], s[3]);
    }
}
