/* doubleBuffer - the next tile is on its way while this one is used.
 *
 * Change: two copies of each tile. The loads of tile t + 1 are issued before the arithmetic of tile t, wait in
 * registers, and are stored into the other copy after it: the global latency hides behind 256 multiply-adds, and one
 * barrier a tile is enough, for nobody reads the copy that is being written. Costs 17 KiB of shared memory and 8
 * registers.
 * Limit: the trip through registers.
 */
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * tiles * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == (2 + 4) * 16 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == (4 * 2 + 4) * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 4 * tiles * warps
// EXPECT: lockstep__barriers.sum == tiles * warps

#include "../lockstep_device.cuh"

#define BM 64 // rows of C a block
#define BN 64 // columns of C a block
#define BK 16 // steps a tile
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

extern "C" __global__ void doubleBuffer(float *c, const float *a, const float *b, unsigned int nrows,
                                        unsigned int ncols, unsigned int inner)
{
    __shared__ __align__(16) float sa[2][BK][BM + APAD];
    __shared__ __align__(16) float sb[2][BK][BN];

    // the block's corner in C, and the thread's 4 x 4 results in the block
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    unsigned int trow = threadIdx.x / 16 * 4, tcol = threadIdx.x % 16 * 4;
    // what the thread loads of the tiles
    unsigned int arow = threadIdx.x / 4, acol = threadIdx.x % 4 * 4;
    unsigned int brow = threadIdx.x / 16, bcol = threadIdx.x % 16 * 4;
    float4 sum[4] = {};

    // the first tile
    float4 av = load4(a, row0 + arow, acol, nrows, inner);
    float4 bv = load4(b, brow, col0 + bcol, inner, ncols);
    for (unsigned int k0 = 0, now = 0; k0 < inner; k0 += BK, now ^= 1)
    {
        sa[now][acol + 0][arow] = av.x;
        sa[now][acol + 1][arow] = av.y;
        sa[now][acol + 2][arow] = av.z;
        sa[now][acol + 3][arow] = av.w;
        *(float4 *)&sb[now][brow][bcol] = bv;
        __syncthreads();

        // the next tile; the same condition in all threads
        if (k0 + BK < inner)
        {
            av = load4(a, row0 + arow, k0 + BK + acol, nrows, inner);
            bv = load4(b, k0 + BK + brow, col0 + bcol, inner, ncols);
        }

#pragma unroll
        for (unsigned int kk = 0; kk < BK; kk++)
        {
            float4 x = *(const float4 *)&sa[now][kk][trow];
            float4 y = *(const float4 *)&sb[now][kk][tcol];
            axpy4(sum[0], x.x, y);
            axpy4(sum[1], x.y, y);
            axpy4(sum[2], x.z, y);
            axpy4(sum[3], x.w, y);
        }
    }

#pragma unroll
    for (unsigned int i = 0; i < 4; i++)
    {
        store4(c, row0 + trow + i, col0 + tcol, nrows, ncols, sum[i]);
    }
}
