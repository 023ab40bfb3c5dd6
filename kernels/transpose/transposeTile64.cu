/* transposeTile64 - a tile of 64 x 64, four elements an instruction.
 *
 * Change: a thread of a 16 x 16 block takes 4 x 4 elements: four float4 loads, a transposition in registers, four
 * float4 stores into the tile, four float4 loads out of it, four float4 stores. A warp's request is two rows of 256
 * bytes, 16 sectors, and four of them are in flight; a quarter of the instructions of transposeSmemSwizzle. The tile
 * holds the transposed patch; its columns of float4 are permuted by xor with a quarter of the row's number, so that
 * the 8 lanes of a quarter-warp, whose rows are 4 apart, hit 8 different groups of 4 banks: a 128-bit access is four
 * quarter-warps, 4 wavefronts and no conflict, on both sides.
 * Limit: DRAM. Rows that are not a multiple of 4 long are not aligned for float4 and go element by element.
 */
// AGAINST: transposeSmemSwizzle
// LET: whole = rows % 64 == 0 && cols % 64 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 64 * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 16 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == 16 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 16 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))
#define SWIZZLE(ROW, QUAD) ((QUAD) ^ ((ROW) / 4))

// four elements of a row from column col on; zeros behind its end. __ldg and __stwb are one instruction: a plain float4
// access may be taken apart, its last word shared with the path for rows that are not aligned.
static __device__ __forceinline__ float4 load4(const float *line, unsigned int col, unsigned int length)
{
    if (length % 4 == 0)
    {
        return col < length ? __ldg((const float4 *)(line + col)) : make_float4(0, 0, 0, 0);
    }
    float4 v = make_float4(0, 0, 0, 0);
    v.x = col < length ? line[col] : 0;
    v.y = col + 1 < length ? line[col + 1] : 0;
    v.z = col + 2 < length ? line[col + 2] : 0;
    v.w = col + 3 < length ? line[col + 3] : 0;
    return v;
}

static __device__ __forceinline__ void store4(float *line, unsigned int col, unsigned int length, float4 v)
{
    if (length % 4 == 0)
    {
        if (col < length)
        {
            __stwb((float4 *)(line + col), v);
        }
        return;
    }
    if (col < length)
    {
        line[col] = v.x;
    }
    if (col + 1 < length)
    {
        line[col + 1] = v.y;
    }
    if (col + 2 < length)
    {
        line[col + 2] = v.z;
    }
    if (col + 3 < length)
    {
        line[col + 3] = v.w;
    }
}

extern "C" __global__ void transposeTile64(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // the transposed patch: 64 rows of 16 float4, permuted
    __shared__ float4 tile[64][16];

    // matrix coordinate of the thread's 4 x 4 elements
    unsigned int row = blockIdx.y * 64 + threadIdx.y * 4;
    unsigned int col = blockIdx.x * 64 + threadIdx.x * 4;

    // load data from global memory, along rows
    float4 a[4];
    for (unsigned int i = 0; i < 4; i++)
    {
        a[i] = row + i < nrows ? load4(in + INDEX(row + i, 0, ncols), col, ncols) : make_float4(0, 0, 0, 0);
    }

    // store the four columns to shared memory, as rows
    unsigned int irow = threadIdx.x * 4, quad = threadIdx.y;
    tile[irow + 0][SWIZZLE(irow + 0, quad)] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
    tile[irow + 1][SWIZZLE(irow + 1, quad)] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
    tile[irow + 2][SWIZZLE(irow + 2, quad)] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
    tile[irow + 3][SWIZZLE(irow + 3, quad)] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);

    // coordinate in transposed matrix: blocks change places
    unsigned int trow = blockIdx.x * 64 + threadIdx.y * 4;
    unsigned int tcol = blockIdx.y * 64 + threadIdx.x * 4;

    // every thread of the block has stored; outside of any branch, so that all of them arrive
    __syncthreads();

    // store data to global memory from shared memory, along rows of the transposed matrix
    for (unsigned int i = 0; i < 4; i++)
    {
        irow = threadIdx.y * 4 + i;
        if (trow + i < ncols)
        {
            store4(out + INDEX(trow + i, 0, nrows), tcol, nrows, tile[irow][SWIZZLE(irow, threadIdx.x)]);
        }
    }
}
