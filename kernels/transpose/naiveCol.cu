/* naiveCol - a transposition that reads columns and writes rows.
 *
 * Change: against naiveGmem (which reads rows and writes columns), x runs down the rows: now the stores are coalesced
 * and the loads are a row apart, 16 sectors a request at 16 x 16. The sums are the same, the cost is not: what a load
 * fetches too much stays in L1 for the neighbouring columns, which the same block takes next; a store has no such luck.
 * Limit: 16 sectors a load where 4 would carry the data.
 */
// AGAINST: naiveGmem
// LET: whole = rows % bx == 0 && cols % by == 0 && threads % 32 == 0
// LET: rows_aligned = bx % 8 == 0 && 32 % bx == 0 && rows % 8 == 0
// LET: apart = bx >= 4 && 32 % bx == 0 && cols % 8 == 0 && by % (32 / bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == bx * warps when whole && apart
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == bx when whole && apart
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole && rows_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == 4 when whole && rows_aligned

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))

extern "C" __global__ void naiveCol(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // matrix coordinate: x runs down the rows
    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col = blockIdx.y * blockDim.y + threadIdx.y;

    // transpose with boundary test
    if (row < nrows && col < ncols)
    {
        out[INDEX(col, row, nrows)] = in[INDEX(row, col, ncols)];
    }
}
