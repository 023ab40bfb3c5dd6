/* wmmaFp16Vec8 - 16 bytes a load for the tensor cores.
 *
 * Change: a thread loads 8 neighbours of A and 8 of B with one instruction each: 2 requests a tile instead of 16, of 16
 * sectors instead of 2. The sectors are the same; what falls is the instructions that stand between the products, of
 * which a warp has only 4 a tile. Rows that are no multiple of 8 long are not aligned and go element by element.
 * Limit: nothing overlaps within a block (see doubleBuffer and cpAsync).
 */
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * 2 * tiles * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 16 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 32 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * 32 * warps when whole
// EXPECT: lockstep__barriers.sum == (2 * tiles + 1) * warps

#include "../lockstep_wmma.cuh"

#define BM 64 // rows of C a block
#define BN 64 // columns of C a block
#define BK 16 // steps a tile
#define THREADS 128
#define IPAD 8 // keeps rows of the tiles aligned and moves them to other banks
#define OPAD 4

// eight elements of a row from column col on to shared memory; zeros outside
static __device__ __forceinline__ void copy8(unsigned short *to, const unsigned short *m, unsigned int row,
                                             unsigned int col, unsigned int nrows, unsigned int ncols)
{
    const unsigned short *p = m + row * ncols + col;
    if (ncols % 8 == 0)
    {
        *(float4 *)to = row < nrows && col < ncols ? __ldg((const float4 *)p) : make_float4(0, 0, 0, 0);
        return;
    }
    for (unsigned int j = 0; j < 8; j++)
    {
        to[j] = row < nrows && col + j < ncols ? p[j] : 0;
    }
}

extern "C" __global__ void wmmaFp16Vec8(float *c, const unsigned short *a, const unsigned short *b,
                                        unsigned int nrows, unsigned int ncols, unsigned int inner)
{
    __shared__ __align__(32) unsigned short sa[BM][BK + IPAD];
    __shared__ __align__(32) unsigned short sb[BK][BN + IPAD];
    __shared__ __align__(32) float sc[BM][BN + OPAD];

    // the block's corner in C, and the warp's 32 x 32 results in the block: four matrices of 16 x 16
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, warp = threadIdx.x / 32;
    unsigned int wrow = warp / 2 * 32, wcol = warp % 2 * 32;
    // what the thread loads of the tiles
    unsigned int arow = threadIdx.x / 2, acol = threadIdx.x % 2 * 8;
    unsigned int brow = threadIdx.x / 8, bcol = threadIdx.x % 8 * 8;
    ls_sums sum[2][2] = {};

    for (unsigned int k0 = 0; k0 < inner; k0 += BK)
    {
        copy8(&sa[arow][acol], a, row0 + arow, k0 + acol, nrows, inner);
        copy8(&sb[brow][bcol], b, k0 + brow, col0 + bcol, inner, ncols);
        __syncthreads();

        ls_f16_inputs x[2], y[2];
        ls_wmma_load_a(x[0], &sa[wrow][0], BK + IPAD);
        ls_wmma_load_a(x[1], &sa[wrow + 16][0], BK + IPAD);
        ls_wmma_load_b(y[0], &sb[0][wcol], BN + IPAD);
        ls_wmma_load_b(y[1], &sb[0][wcol + 16], BN + IPAD);
        ls_wmma_mma(sum[0][0], x[0], y[0]);
        ls_wmma_mma(sum[0][1], x[0], y[1]);
        ls_wmma_mma(sum[1][0], x[1], y[0]);
        ls_wmma_mma(sum[1][1], x[1], y[1]);
        __syncthreads();
    }

    // through shared memory to C: a warp cannot store part of a matrix
#pragma unroll
    for (unsigned int g = 0; g < 4; g++)
    {
        ls_wmma_store(&sc[wrow + g / 2 * 16][wcol + g % 2 * 16], sum[g / 2][g % 2], BN + OPAD);
    }
    __syncthreads();
#pragma unroll
    for (unsigned int e = threadIdx.x; e < BM * BN; e += THREADS)
    {
        unsigned int row = row0 + e / BN, col = col0 + e % BN;
        if (row < nrows && col < ncols)
        {
            c[row * ncols + col] = sc[e / BN][e % BN];
        }
    }
}
