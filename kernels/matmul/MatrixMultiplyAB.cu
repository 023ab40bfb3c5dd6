/* MatrixMultiplyAB - A and B through shared memory.
 *
 * Change: B's tile is loaded once a block too. Now a warp uses what other warps wrote: a barrier of the block. 33
 * requests become 2; each element is loaded from global memory once a block.
 * Limit: shared memory: two words of it a multiply-add.
 */
// LET: whole = rows % 32 == 0 && cols % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_data_bytes_mem_shared_op_ld.sum == (1 + 32) * 32 * 4 * warps when whole
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

#define w 32

extern "C" __global__ void MatrixMultiplyAB(float *c, const float *a, const float *b, unsigned int nrows,
                                            unsigned int ncols, unsigned int /* inner: w */)
{
    __shared__ float sa[w][w];
    __shared__ float sb[w][w];

    // coordinate in C; inner is w
    unsigned int row = blockIdx.y * w + threadIdx.y;
    unsigned int col = blockIdx.x * w + threadIdx.x;

    // the block's tiles of A and B; zeros behind the last row or column
    sa[threadIdx.y][threadIdx.x] = row < nrows ? a[row * w + threadIdx.x] : 0.0f;
    sb[threadIdx.y][threadIdx.x] = col < ncols ? b[threadIdx.y * ncols + col] : 0.0f;
    __syncthreads();

    if (row < nrows && col < ncols)
    {
        float sum = 0.0f;
        for (unsigned int i = 0; i < w; i++)
        {
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        }
        c[row * ncols + col] = sum;
    }
}
