/* MatrixMultiply - the inner length is one warp.
 *
 * Change: against matrixMul, k is the constant w = 32 and the block 32 x 32: the small case on which the next two rungs
 * show what shared memory is for. A is nrows x 32, B 32 x ncols.
 * Limit: a warp reads its one row of A element by element, 4 of the 32 bytes of each sector that it asks for; and the
 * 32 warps of a block read the same 32 columns of B.
 */
// AGAINST: matrixMul
// LET: whole = rows % 32 == 0 && cols % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 64 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 160 * warps when whole
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 2.5 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

#define w 32

extern "C" __global__ void MatrixMultiply(float *c, const float *a, const float *b, unsigned int nrows,
                                          unsigned int ncols, unsigned int /* inner: w */)
{
    // coordinate in C; inner is w
    unsigned int row = blockIdx.y * w + threadIdx.y;
    unsigned int col = blockIdx.x * w + threadIdx.x;

    if (row < nrows && col < ncols)
    {
        float sum = 0.0f;
        for (unsigned int i = 0; i < w; i++)
        {
            sum += a[row * w + i] * b[i * ncols + col];
        }
        c[row * ncols + col] = sum;
    }
}
