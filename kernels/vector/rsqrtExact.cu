/* rsqrtExact - the reciprocal of a square root, both correctly rounded.
 *
 * Change: one operand. sqrt.rn.f32 and rcp.rn.f32, each half an ulp; each is a loop-free iteration in machine code.
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void rsqrtExact(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = 1.0f / sqrtf(fabsf(x[i]));
    }
}
