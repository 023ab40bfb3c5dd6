/* MatrixMultiplyA - A's rows through shared memory.
 *
 * Change: each warp loads its row of A at once, coalesced, into the tile, and reads it from there by broadcast. A warp
 * uses only what it wrote itself, so __syncwarp() is enough and no warp waits for another. 64 requests become 33.
 * Limit: the warps of a block still read the same columns of B, 32 times over.
 */
// LET: whole = rows % 32 == 0 && cols % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 33 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 132 * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_data_bytes_mem_shared_op_ld.sum == 32 * 4 * warps when whole
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

#define w 32

extern "C" __global__ void MatrixMultiplyA(float *c, const float *a, const float *b, unsigned int nrows,
                                           unsigned int ncols, unsigned int /* inner: w */)
{
    __shared__ float sa[w][w];

    // coordinate in C; inner is w
    unsigned int row = blockIdx.y * w + threadIdx.y;
    unsigned int col = blockIdx.x * w + threadIdx.x;

    // the warp's row of A; a row behind the last one is zeros
    sa[threadIdx.y][threadIdx.x] = row < nrows ? a[row * w + threadIdx.x] : 0.0f;
    __syncwarp();

    if (row < nrows && col < ncols)
    {
        float sum = 0.0f;
        for (unsigned int i = 0; i < w; i++)
        {
            sum += sa[threadIdx.y][i] * b[i * ncols + col];
        }
        c[row * ncols + col] = sum;
    }
}
