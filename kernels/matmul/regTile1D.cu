/* regTile1D - a column of 16 results a thread.
 *
 * Change: 256 threads make a tile of 64 x 64. A thread keeps 16 sums of one column: an element of B's tile is read once
 * and used for 16 multiply-adds, so a step of the inner length reads 16 + 1 words for 16 of them, not 32. And an
 * element of A or B is loaded from global memory once for 64 results.
 * Limit: the 16 words of A: a long thin tile has a large edge for its area.
 */
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 8 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * tiles * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 8 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_data_bytes_mem_shared_op_ld.sum == (16 + 32) * 4 * 16 * tiles * warps
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps

#include "../lockstep_device.cuh"

#define BM 64 // rows of C a block
#define BN 64 // columns of C a block
#define BK 16 // steps a tile
#define TM 16 // rows of C a thread
#define THREADS 256

extern "C" __global__ void regTile1D(float *c, const float *a, const float *b, unsigned int nrows, unsigned int ncols,
                                     unsigned int inner)
{
    __shared__ float sa[BM][BK];
    __shared__ float sb[BK][BN];

    // the block's corner in C, and the thread's results in the block
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    unsigned int trow = threadIdx.x / BN * TM, tcol = threadIdx.x % BN;
    float sum[TM] = {0.0f};

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
            float bv = sb[kk][tcol];
#pragma unroll
            for (unsigned int i = 0; i < TM; i++)
            {
                sum[i] += sa[trow + i][kk] * bv;
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (unsigned int i = 0; i < TM; i++)
    {
        unsigned int row = row0 + trow + i, col = col0 + tcol;
        if (row < nrows && col < ncols)
        {
            c[row * ncols + col] = sum[i];
        }
    }
}
