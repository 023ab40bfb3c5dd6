/* copyCol - a copy along columns: the lower bound.
 *
 * Change: against copyGmem, neighbours in a warp take neighbouring rows, so that loads and stores are both a row apart
 * in memory. A warp of a 16 x 16 block is 16 rows by 2 columns: 16 sectors a request, each for 8 useful bytes.
 * Limit: everything moves four times. What a transposition would cost if neither of its sides were coalesced.
 */
// AGAINST: copyGmem
// LET: whole = rows % bx == 0 && cols % by == 0 && threads % 32 == 0
// LET: apart = bx >= 4 && 32 % bx == 0 && cols % 8 == 0 && by % (32 / bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == bx * warps when whole && apart
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == bx when whole && apart
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == bx * warps when whole && apart
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == bx when whole && apart

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))

extern "C" __global__ void copyCol(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // matrix coordinate: x runs down the rows
    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col = blockIdx.y * blockDim.y + threadIdx.y;

    // a copy with boundary test: the same place in both
    if (row < nrows && col < ncols)
    {
        out[INDEX(row, col, ncols)] = in[INDEX(row, col, ncols)];
    }
}
