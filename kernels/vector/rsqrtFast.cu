/* rsqrtFast - rsqrtf: what the special function unit gives.
 *
 * Change: one rsqrt.approx.f32 for two iterations. NVIDIA promises 2 ulp, the exact pair has about one: here the fast
 * form loses almost nothing.
 * Limit: DRAM; in a kernel bound by instructions (forces between bodies) this one is the way.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void rsqrtFast(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = rsqrtf(fabsf(x[i]));
    }
}
