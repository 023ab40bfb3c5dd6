/* regTile2D - a square of 4 x 4 results a thread.
 *
 * Change: the same 16 sums a thread as in regTile1D, but square: a step reads 4 words of A and 4 of B for 16
 * multiply-adds, 8 instead of 17. Registers: the sums, and the 8 words.
 * Limit: neighbours store columns 4 apart, 16 sectors a store for 128 bytes; and loads go word by word.
 */
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 8 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * tiles * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 8 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_data_bytes_mem_shared_op_ld.sum == (2 * 4 + 16 * 4) * 4 * 16 * tiles * warps
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps

#include "../lockstep_device.cuh"

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
        __syncthreads();
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
