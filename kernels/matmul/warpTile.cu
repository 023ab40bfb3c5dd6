/* warpTile - 8 x 8 results a thread, and a patch of C for each warp.
 *
 * Change: against regTileVec4, a block makes 128 x 128, its 8 warps stand 2 x 4 and make 64 x 32 each, its lanes 8 x 4
 * and make 8 x 8 each: as four squares of 4 x 4, 32 rows and 16 columns apart, so that neighbouring lanes read
 * neighbouring float4. A step is 4 shared loads for 64 multiply-adds. A's tile has rows of 132 words: a warp's
 * transposing store is 16 rows at 2 steps, 4 x 132 words apart = 16 banks: no conflict.
 * Limit: lanes are numbered row by row. A pair of lanes i, i ^ 1 reads the same of A, and the load takes 2 wavefronts;
 * of B neither i ^ 1 nor i ^ 2 reads what i does, and the load takes all 4. Registers, 64 sums and more a thread; and
 * nothing overlaps (see doubleBuffer and cpAsync).
 */
// AGAINST: regTileVec4
// LET: whole = rows % 128 == 0 && cols % 128 == 0 && k % 8 == 0
// LET: tiles = ceil_div(k, 8)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * tiles * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * 16 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == (2 * 2 + 2 * 4) * 8 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == (4 + 4) * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps

#include "../lockstep_device.cuh"

#define BM 128 // rows of C a block
#define BN 128 // columns of C a block
#define BK 8   // steps a tile
#define WM 64  // rows of C a warp
#define WN 32  // columns of C a warp
#define APAD 4

// four elements of a row from column col on; zeros outside. Rows not a multiple of 4 long are not aligned. __ldg and
// __stwb are one instruction: a plain float4 access may be taken apart, its last word shared with the other path.
static __device__ __forceinline__ float4 load4(const float *m, unsigned int row, unsigned int col, unsigned int nrows,
                                               unsigned int ncols)
{
    const float *p = m + row * ncols + col;
    float4 v = make_float4(0, 0, 0, 0);
    if (ncols % 4 == 0)
    {
        if (row < nrows && col < ncols)
        {
            v = __ldg((const float4 *)p);
        }
        return v;
    }
    v.x = row < nrows && col < ncols ? p[0] : 0;
    v.y = row < nrows && col + 1 < ncols ? p[1] : 0;
    v.z = row < nrows && col + 2 < ncols ? p[2] : 0;
    v.w = row < nrows && col + 3 < ncols ? p[3] : 0;
    return v;
}

static __device__ __forceinline__ void store4(float *m, unsigned int row, unsigned int col, unsigned int nrows,
                                              unsigned int ncols, float4 v)
{
    float *p = m + row * ncols + col;
    if (ncols % 4 == 0)
    {
        if (row < nrows && col < ncols)
        {
            __stwb((float4 *)p, v);
        }
        return;
    }
    if (row < nrows && col < ncols)
    {
        p[0] = v.x;
    }
    if (row < nrows && col + 1 < ncols)
    {
        p[1] = v.y;
    }
    if (row < nrows && col + 2 < ncols)
    {
        p[2] = v.z;
    }
    if (row < nrows && col + 3 < ncols)
    {
        p[3] = v.w;
    }
}

// s += x * v
static __device__ __forceinline__ void axpy4(float4 &s, float x, float4 v)
{
    s.x += x * v.x;
    s.y += x * v.y;
    s.z += x * v.z;
    s.w += x * v.w;
}

extern "C" __global__ void warpTile(float *c, const float *a, const float *b, unsigned int nrows, unsigned int ncols,
                                    unsigned int inner)
{
    __shared__ __align__(16) float sa[BK][BM + APAD];
    __shared__ __align__(16) float sb[BK][BN];

    // the block's corner in C, the warp's in the block, the lane's first square in the block
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int trow = warp / (BN / WN) * WM + lane / 4 * 4;
    unsigned int tcol = warp % (BN / WN) * WN + lane % 4 * 4;
    // what the thread loads of the tiles
    unsigned int arow = threadIdx.x / 2, acol = threadIdx.x % 2 * 4;
    unsigned int brow = threadIdx.x / 32, bcol = threadIdx.x % 32 * 4;
    float4 sum[2][4][2] = {};

    for (unsigned int k0 = 0; k0 < inner; k0 += BK)
    {
        float4 av = load4(a, row0 + arow, k0 + acol, nrows, inner);
        float4 bv = load4(b, k0 + brow, col0 + bcol, inner, ncols);
        sa[acol + 0][arow] = av.x;
        sa[acol + 1][arow] = av.y;
        sa[acol + 2][arow] = av.z;
        sa[acol + 3][arow] = av.w;
        *(float4 *)&sb[brow][bcol] = bv;
        __syncthreads();

#pragma unroll
        for (unsigned int kk = 0; kk < BK; kk++)
        {
            float4 x[2], y[2];
            x[0] = *(const float4 *)&sa[kk][trow];
            x[1] = *(const float4 *)&sa[kk][trow + WM / 2];
            y[0] = *(const float4 *)&sb[kk][tcol];
            y[1] = *(const float4 *)&sb[kk][tcol + WN / 2];
#pragma unroll
            for (unsigned int g = 0; g < 4; g++)
            {
                axpy4(sum[g / 2][0][g % 2], x[g / 2].x, y[g % 2]);
                axpy4(sum[g / 2][1][g % 2], x[g / 2].y, y[g % 2]);
                axpy4(sum[g / 2][2][g % 2], x[g / 2].z, y[g % 2]);
                axpy4(sum[g / 2][3][g % 2], x[g / 2].w, y[g % 2]);
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (unsigned int i = 0; i < 16; i++)
    {
        unsigned int g = i / 8, line = i / 2 % 4, h = i % 2;
        store4(c, row0 + trow + g * (WM / 2) + line, col0 + tcol + h * (WN / 2), nrows, ncols, sum[g][line][h]);
    }
}
