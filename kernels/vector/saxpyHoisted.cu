/* saxpyHoisted - the invariant before the loop.
 *
 * Change: the quotient is a local variable, computed once a thread. What the compiler may not do, because the stores
 * might change it, the programmer can; `const float *__restrict__ a` would have told the compiler. A warp loads both
 * numbers once, not once a round.
 * Limit: DRAM again.
 */
// LET: whole = n % 32 == 0 && bx % 32 == 0 && 32 * warps <= n
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * n / 32 + 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * n / 32 + 2 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 32 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * n / 32 when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n + 8 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void saxpyHoisted(int n, float *a, float *x, float *y)
{
    int stride = gridDim.x * blockDim.x;
    float factor = a[0] / a[1];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
        y[i] = factor * x[i] + y[i];
    }
}
