/* rowsPacked - rows of k words, one behind the other; a block a row.
 *
 * A row starts where the one before ended: with k = 100 words every second one starts in the middle of a sector. An
 * even row is 4 + 4 + 4 + 1 sectors, an odd one 5 + 5 + 5 + 1: 14.5 on average.
 * Limit: sectors; the more, the shorter the rows.
 */
// AGAINST: copyCoalesced
// LET: aligned = bx % 32 == 0 && k % 8 == 0
// LET: halves = bx % 32 == 0 && k == 100 && blocks % 2 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * ceil_div(k, 32) when bx % 32 == 0
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * ceil_div(k, 8) when aligned
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * 14.5 when halves
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * ceil_div(k, 32) when bx % 32 == 0
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * 14.5 when halves

#include "../lockstep_device.cuh"

extern "C" __global__ void rowsPacked(int *arr, int *ret, int width, int pitch)
{
    int row = blockIdx.x * pitch;
    for (int c = threadIdx.x; c < width; c += blockDim.x)
    {
        ret[row + c] = arr[row + c];
    }
}
