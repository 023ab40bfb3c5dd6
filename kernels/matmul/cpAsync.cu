/* cpAsync - from global to shared memory without a trip through registers.
 *
 * Change: cp.async copies 16 bytes a thread straight into the tile, and fills with zeros what lies outside (a source
 * size of 0). It cannot transpose, so A's tile keeps its rows of 16 steps, and a thread reads 4 steps of each of its 4
 * rows at once: the same 128 bits a step, 2 wavefronts, as two rows are two addresses, one to each half of the warp.
 * The transposing stores with their conflicts are gone. The barrier says that the copies of all threads are in place,
 * and that everyone is through with the other buffer; then the next copies start.
 * Limit: shared memory again: 6 wavefronts a step for 16 multiply-adds a lane.
 */
// LET: whole = rows % 64 == 0 && cols % 64 == 0 && k % 16 == 0
// LET: tiles = ceil_div(k, 16)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == (2 + 4) * 16 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_data_bytes_mem_shared_op_ld.sum == (2 * 4 + 16 * 4) * 4 * 16 * tiles * warps
// EXPECT: lockstep__barriers.sum == tiles * warps

#include "../lockstep_device.cuh"

#define BM 64 // rows of C a block
#define BN 64 // columns of C a block
#define BK 16 // steps a tile

// starts a copy of 4 or 16 bytes to shared memory; zeros if not `inside`. Nobody may look before cp_wait and a barrier.
static __device__ __forceinline__ void cp4(unsigned int to, const float *from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(inside ? 4 : 0) : "memory");
}

static __device__ __forceinline__ void cp16(unsigned int to, const float *from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
}

// all of this thread's copies are done
static __device__ __forceinline__ void cp_wait()
{
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
}

static __device__ __forceinline__ unsigned int shared_address(const void *p)
{
    unsigned int at;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(at) : "l"(p));
    return at;
}

// starts the copy of four elements of a row from column col on. Rows not a multiple of 4 long are not aligned.
static __device__ __forceinline__ void copy4(float *to, const float *m, unsigned int row, unsigned int col,
                                             unsigned int nrows, unsigned int ncols)
{
    unsigned int at = shared_address(to);
    bool inside = row < nrows && col < ncols;
    if (ncols % 4 == 0)
    {
        cp16(at, inside ? m + row * ncols + col : m, inside);
        return;
    }
    for (unsigned int j = 0; j < 4; j++)
    {
        inside = row < nrows && col + j < ncols;
        cp4(at + 4 * j, inside ? m + row * ncols + col + j : m, inside);
    }
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

extern "C" __global__ void cpAsync(float *c, const float *a, const float *b, unsigned int nrows, unsigned int ncols,
                                   unsigned int inner)
{
    __shared__ __align__(16) float sa[2][BM][BK];
    __shared__ __align__(16) float sb[2][BK][BN];

    // the block's corner in C, and the thread's 4 x 4 results in the block
    unsigned int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    unsigned int trow = threadIdx.x / 16 * 4, tcol = threadIdx.x % 16 * 4;
    // what the thread copies of the tiles
    unsigned int arow = threadIdx.x / 4, acol = threadIdx.x % 4 * 4;
    unsigned int brow = threadIdx.x / 16, bcol = threadIdx.x % 16 * 4;
    float4 sum[4] = {};

    // the first tile
    copy4(&sa[0][arow][acol], a, row0 + arow, acol, nrows, inner);
    copy4(&sb[0][brow][bcol], b, brow, col0 + bcol, inner, ncols);
    for (unsigned int k0 = 0, now = 0; k0 < inner; k0 += BK, now ^= 1)
    {
        cp_wait();
        __syncthreads();

        // the next tile; the same condition in all threads
        if (k0 + BK < inner)
        {
            copy4(&sa[now ^ 1][arow][acol], a, row0 + arow, k0 + BK + acol, nrows, inner);
            copy4(&sb[now ^ 1][brow][bcol], b, k0 + BK + brow, col0 + bcol, inner, ncols);
        }

#pragma unroll
        for (unsigned int kk = 0; kk < BK; kk += 4)
        {
            float4 y0 = *(const float4 *)&sb[now][kk + 0][tcol];
            float4 y1 = *(const float4 *)&sb[now][kk + 1][tcol];
            float4 y2 = *(const float4 *)&sb[now][kk + 2][tcol];
            float4 y3 = *(const float4 *)&sb[now][kk + 3][tcol];
#pragma unroll
            for (unsigned int i = 0; i < 4; i++)
            {
                float4 x = *(const float4 *)&sa[now][trow + i][kk];
                axpy4(sum[i], x.x, y0);
                axpy4(sum[i], x.y, y1);
                axpy4(sum[i], x.z, y2);
                axpy4(sum[i], x.w, y3);
            }
        }
    }

#pragma unroll
    for (unsigned int i = 0; i < 4; i++)
    {
        store4(c, row0 + trow + i, col0 + tcol, nrows, ncols, sum[i]);
    }
}
