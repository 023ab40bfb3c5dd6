/* clampSelect - y = x > 0 ? x : 0.
 *
 * Change: the conditional operator, which the tutorial recommends in place of the if. The PTX is the same max,
 * instruction for instruction: no counter moves.
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 4 * n
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void clampSelect(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        int x = in[i], y;
        y = x > 0 ? x : 0;
        out[i] = y;
    }
}
