/* divide - a quotient, correctly rounded.
 *
 * Exact here means: the float nearest to the quotient (div.rn.f32). ptxas makes a reciprocal, two or three corrections
 * by fused multiply-adds and a slow path for extreme operands of it.
 * Limit: DRAM, still; the instructions show in the instruction count.
 */
// AGAINST: vectorAdd
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void divide(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] / B[idx];
    }
}
