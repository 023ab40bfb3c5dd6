/* MatMulShared - tiles of 32 x 32.
 *
 * Change: an element is loaded once for 32 results instead of 16: half the sectors. A warp is one row of the tile, its
 * requests are whole lines. A block has 1,024 threads, the most there can be, and 8 KiB of tiles.
 * Limit: still two shared words a multiply-add, whatever the tile's size: only registers can change that. As printed it
 * loops to N / TILE and drops a ragged end (broken/MatMulShared.cu).
 */
// LET: whole = rows % 32 == 0 && cols % 32 == 0 && k % 32 == 0
// LET: tiles = ceil_div(k, 32)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * tiles * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * tiles * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * tiles * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_data_bytes_mem_shared_op_ld.sum == (1 + 32) * 4 * 32 * tiles * warps
// EXPECT: lockstep__barriers.sum == 2 * tiles * warps

#include "../lockstep_device.cuh"

#define TILE 32

extern "C" __global__ void MatMulShared(float *c, const float *a, const float *b, unsigned int nrows,
                                        unsigned int ncols, unsigned int inner)
{
    __shared__ float sa[TILE][TILE];
    __shared__ float sb[TILE][TILE];

    // coordinate in C
    unsigned int row = blockIdx.y * TILE + threadIdx.y;
    unsigned int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (unsigned int t = 0; t < (inner + TILE - 1) / TILE; t++)
    {
        // each thread loads one element of each tile; zeros outside
        unsigned int acol = t * TILE + threadIdx.x, brow = t * TILE + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = row < nrows && acol < inner ? a[row * inner + acol] : 0.0f;
        sb[threadIdx.y][threadIdx.x] = brow < inner && col < ncols ? b[brow * ncols + col] : 0.0f;
        __syncthreads();

        for (unsigned int i = 0; i < TILE; i++)
        {
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < nrows && col < ncols)
    {
        c[row * ncols + col] = sum;
    }
}
