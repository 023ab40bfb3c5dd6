/* matMulRows - a product of matrices, neighbours in a warp along a column of C.
 *
 * One thread makes one element of C. x runs down the rows: the 32 lanes of a 32 x 8 block's warp read 32 rows of A, k
 * floats apart, so every lane pays a sector of 32 bytes for its 4; they share one element of B; and they write 32 rows
 * of C.
 * Limit: 33 sectors a step of the inner loop for 32 multiply-adds.
 */
// LET: whole = rows % bx == 0 && cols % by == 0 && threads % 32 == 0 && bx == 32
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * k * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 33 * k * warps when whole && k >= 8
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 16.5 when whole && k >= 8
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 32 * warps when whole && cols >= 8
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void matMulRows(float *c, const float *a, const float *b, unsigned int nrows, unsigned int ncols,
                                      unsigned int inner)
{
    // coordinate in C: x runs down the rows
    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col = blockIdx.y * blockDim.y + threadIdx.y;

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
