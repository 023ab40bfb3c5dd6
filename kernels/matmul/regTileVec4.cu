/* regTileVec4 - every access a float4, A transposed in its tile.
 *
 * Change: a thread loads four neighbours of A and of B with one instruction each, and stores a row of its results with
 * one. A's tile is stored transposed, so that the 4 words of A that a step needs are neighbours too: a step is 2
 * shared loads of 128 bits. A's is a broadcast to 16 lanes (2 wavefronts, the halves of the warp), B's 256 bytes to
 * each half (4). Rows of 68 words keep float4 aligned and halve the conflicts of the transposing stores: a warp stores
 * 8 rows at 4 steps, 4 x 68 words apart = 16 banks, so two lanes share a bank: 2 wavefronts for each of the 4 stores.
 * Limit: loads, barrier, arithmetic, barrier: nothing overlaps within a block.
 */
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * tiles * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 16 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == (2 + 4) * 16 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == (4 * 2 + 4) * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 4 * tiles * warps
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps

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

extern "C" __global__ void regTileVec4(float *c, const float *a, const float *b, unsigned int nrows, unsigned int ncols,
                                       unsigned int inner)
{
    __shared__ __align__(16) float sa[BK][BM + APAD];
    __shared__ __align__(16) float sb[BK][BN];

    // the block's corner in C, and the thread's 4 x 4 results in the block
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    unsigned int trow = threadIdx.x / 16 * 4, tcol = threadIdx.x % 16 * 4;
    // what the thread loads of the tiles
    unsigned int arow = threadIdx.x / 4, acol = threadIdx.x % 4 * 4;
    unsigned int brow = threadIdx.x / 16, bcol = threadIdx.x % 16 * 4;
    float4 sum[4] = {};

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
            float4 x = *(const float4 *)&sa[kk][trow];
            float4 y = *(const float4 *)&sb[kk][tcol];
            axpy4(sum[0], x.x, y);
            axpy4(sum[1], x.y, y);
            axpy4(sum[2], x.z, y);
            axpy4(sum[3], x.w, y);
        }
        __syncthreads();
    }

#pragma unroll
    for (unsigned int i = 0; i < 4; i++)
    {
        store4(c, row0 + trow + i, col0 + tcol, nrows, ncols, sum[i]);
    }
}
