/* naiveGmemUnroll - two elements a thread.
 *
 * Change: a block takes two neighbouring blocks of the matrix; two independent loads are in flight.
 * Limit: the stores, still bx sectors a request.
 */
// AGAINST: naiveGmem
// LET: whole = rows % by == 0 && cols % (2 * bx) == 0 && threads % 32 == 0
// LET: rows_aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0
// LET: apart = bx >= 4 && 32 % bx == 0 && rows % 8 == 0 && by % (32 / bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole && rows_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole && rows_aligned
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 2 * bx * warps when whole && apart
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == bx when whole && apart

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))

extern "C" __global__ void naiveGmemUnroll(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // matrix coordinate, and that of the second element, a block further
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col2 = col + blockDim.x;

    // transpose with boundary test
    if (row < nrows && col < ncols)
    {
        out[INDEX(col, row, nrows)] = in[INDEX(row, col, ncols)];
    }
    if (row < nrows && col2 < ncols)
    {
        out[INDEX(col2, row, nrows)] = in[INDEX(row, col2, ncols)];
    }
}
