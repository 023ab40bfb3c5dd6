/* wmmaBf16 - tensor cores, bf16 inputs, sums in float.
 *
 * Change: bf16 has float's exponents and 8 bits of mantissa, fp16 5 bits of exponent and 11 of mantissa: no input
 * overflows, each is less exact. Rate, layout and traffic are those of wmmaFp16; a fragment of inputs takes 4
 * registers a lane instead of 8, for here no element is held twice.
 * Limit: as wmmaFp16.
 */
// AGAINST: wmmaFp16
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 2 * 16 * tiles * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 2 when whole
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

extern "C" __global__ void wmmaBf16(float *c, const unsigned short *a, const unsigned short *b, unsigned int nrows,
                                    unsigned int ncols, unsigned int inner)
{
    __shared__ __align__(32) unsigned short sa[BM][BK + IPAD];
    __shared__ __align__(32) unsigned short sb[BK][BN + IPAD];
    __shared__ __align__(32) float sc[BM][BN + OPAD];

    // the block's corner in C, and the warp's 32 x 32 results in the block: four matrices of 16 x 16
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, warp = threadIdx.x / 32;
    unsigned int wrow = warp / 2 * 32, wcol = warp % 2 * 32;
    ls_sums sum[2][2] = {};

    for (unsigned int k0 = 0; k0 < inner; k0 += BK)
    {
        // neighbours load neighbours; zeros outside
#pragma unroll
        for (unsigned int e = threadIdx.x; e < BM * BK; e += THREADS)
        {
            unsigned int row = row0 + e / BK, col = k0 + e % BK;
            sa[e / BK][e % BK] = row < nrows && col < inner ? a[row * inner + col] : 0;
        }
#pragma unroll
        for (unsigned int e = threadIdx.x; e < BK * BN; e += THREADS)
        {
            unsigned int row = k0 + e / BN, col = col0 + e % BN;
            sb[e / BN][e % BN] = row < inner && col < ncols ? b[row * ncols + col] : 0;
        }
        __syncthreads();

        ls_bf16_inputs x[2], y[2];
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
