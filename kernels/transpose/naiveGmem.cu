/* naiveGmem - a transposition, straight.
 *
 * Change: the store's row and column are swapped. Neighbours in a warp now write `nrows` floats apart: each column of
 * the warp's patch is a sector of its own, bx sectors a request (of two rows at 16 x 16, two neighbours share one).
 * Limit: 16 sectors a store where 4 would carry the data.
 */
// AGAINST: copyGmem
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// LET: rows_aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0
// LET: apart = bx >= 4 && 32 % bx == 0 && rows % 8 == 0 && by % (32 / bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole && rows_aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == 4 when whole && rows_aligned
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == bx * warps when whole && apart
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio == bx when whole && apart

#include "../lockstep_device.cuh"

#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))

extern "C" __global__ void naiveGmem(float *out, float *in, unsigned int nrows, unsigned int ncols)
{
    // matrix coordinate
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    // transpose with boundary test
    if (row < nrows && col < ncols)
    {
        out[INDEX(col, row, nrows)] = in[INDEX(row, col, ncols)];
    }
}
