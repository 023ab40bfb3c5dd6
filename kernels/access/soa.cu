/* soa - a structure of arrays.
 *
 * Change: x, y and z are arrays of their own: each load is coalesced, 4 sectors, nothing is padded, and a kernel that
 * needs only x reads only x.
 * Limit: DRAM, with not a byte too many.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 12 * n
// EXPECT: smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct == 100 when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void soa(const float *x, const float *y, const float *z, float *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
    }
}
