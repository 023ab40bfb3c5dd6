/* wmmaTf32 - tensor cores, floats rounded to tf32.
 *
 * Change: A and B are floats again, of which the tensor cores use 10 bits of mantissa. They are rounded on the way into
 * the tile: without that the hardware drops the other 13 bits, twice the error and all of it towards zero. A matrix has
 * 8 steps instead of 16: two rounds a tile, half the rate of fp16.
 * Limit: as wmmaFp16; 4 sectors a request.
 */
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * 16 * tiles * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 32 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * 32 * warps when whole
// EXPECT: lockstep__barriers.sum == (2 * tiles + 1) * warps

#include "../lockstep_wmma.cuh"

#define BM 64 // rows of C a block
#define BN 64 // columns of C a block
#define BK 16 // steps a tile
#define THREADS 128
#define IPAD 4 // keeps rows of the tiles aligned and moves them to other banks
#define OPAD 4

extern "C" __global__ void wmmaTf32(float *c, const float *a, const float *b, unsigned int nrows,
                                    unsigned int ncols, unsigned int inner)
{
    __shared__ __align__(32) float sa[BM][BK + IPAD];
    __shared__ __align__(32) float sb[BK][BN + IPAD];
    __shared__ __align__(32) float sc[BM][BN + OPAD];

    // the block's corner in C, and the warp's 32 x 32 results in the block: four matrices of 16 x 16
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, warp = threadIdx.x / 32;
    unsigned int wrow = warp / 2 * 32, wcol = warp % 2 * 32;
    ls_sums sum[2][2] = {};

    for (unsigned int k0 = 0; k0 < inner; k0 += BK)
    {
        // neighbours load neighbours; zeros outside, and 10 bits of mantissa
#pragma unroll
        for (unsigned int e = threadIdx.x; e < BM * BK; e += THREADS)
        {
            unsigned int row = row0 + e / BK, col = k0 + e % BK;
            sa[e / BK][e % BK] = row < nrows && col < inner ? ls_to_tf32(a[row * inner + col]) : 0.0f;
        }
#pragma unroll
        for (unsigned int e = threadIdx.x; e < BK * BN; e += THREADS)
        {
            unsigned int row = k0 + e / BN, col = col0 + e % BN;
            sb[e / BN][e % BN] = row < inner && col < ncols ? ls_to_tf32(b[row * ncols + col]) : 0.0f;
        }
        __syncthreads();

#pragma unroll
        for (unsigned int kk = 0; kk < BK; kk += 8)
        {
            ls_tf32_inputs x[2], y[2];
            ls_wmma_load_a(x[0], &sa[wrow][kk], BK + IPAD);
            ls_wmma_load_a(x[1], &sa[wrow + 16][kk], BK + IPAD);
            ls_wmma_load_b(y[0], &sb[kk][wcol], BN + IPAD);
            ls_wmma_load_b(y[1], &sb[kk][wcol + 16], BN + IPAD);
            ls_wmma_mma(sum[0][0], x[0], y[0]);
            ls_wmma_mma(sum[0][1], x[0], y[1]);
            ls_wmma_mma(sum[1][0], x[1], y[0]);
            ls_wmma_mma(sum[1][1], x[1], y[1]);
        }
        __syncthreads();
    }

    // through shared memory to C: a warp cannot store part of a matrix
#pragma unroll
    for (unsigned int g = 0; g < 4; g++)
    {
        ls_wmma_store_tf32(&sc[wrow + g / 2 * 16][wcol + g % 2 * 16], sum[g / 2][g % 2], BN + OPAD);
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
