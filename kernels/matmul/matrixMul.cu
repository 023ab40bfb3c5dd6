/* matrixMul - with a boundary test.
 *
 * Change: threads outside of C do nothing, so that any size goes. There is no barrier that they would miss. The
 * counters of whole blocks stay the same.
 * Limit: as before: k x (1 + 4) sectors a warp where each row and column would do once.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// LET: aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0 && k >= 8
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * k * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (32 / bx + bx / 8) * k * warps when whole && aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == (32 / bx + bx / 8) / 2 when whole && aligned
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole && aligned
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void matrixMul(float *c, const float *a, const float *b, unsigned int nrows, unsigned int ncols,
                                     unsigned int inner)
{
    // coordinate in C
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < nrows && col < ncols)
    {
        float sum = 0.0f;
        for (unsigned int i = 0; i < inner; i++)
        {
            sum += a[row * inner + i] * b[i * ncols + col];
        }
        c[row * ncols + col] = sum;
    }
}
