/* clampBranch - an if that is none.
 *
 * `if (x > 0) y = x; else y = 0;`: both compilers make one max of it. An if in the source is not a branch in the
 * machine, and a warp whose lanes disagree stores once, not once for each side.
 * Limit: DRAM.
 */
// AGAINST: branchByData
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 4 * n
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void clampBranch(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        int x = in[i], y;
        if (x > 0)
            y = x;
        else
            y = 0;
        out[i] = y;
    }
}
