/* copyGmem - a copy: the upper bound.
 *
 * No transposition at all: loads and stores both run along rows, so a warp's 128 bytes are 4 sectors. What a
 * transposition would reach if its layout cost nothing. With blocks of 16 x 16 a warp is two rows of 64 bytes, still
 * 4 sectors.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// LET: rows_aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole && rows_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole && rows_aligned
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole && rows_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == 4 when whole && rows_aligned

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))

extern "C" __global__ void copyGmem(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // matrix coordinate
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    // a copy with boundary test: the same place in both
    if (row < nrows && col < ncols)
    {
        out[INDEX(row, col, ncols)] = in[INDEX(row, col, ncols)];
    }
}
