/* multiplyAddTwice - __fmul_rn and __fadd_rn: never fused.
 *
 * Change: two operations that compilers must not contract, as the CPU without FMA has them. The memory traffic is the
 * same to the byte; only the error is larger, by the product's rounding.
 * Limit: DRAM, so the second instruction costs nothing either.
 */
// AGAINST: multiplyAdd
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 12 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void multiplyAddTwice(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = __fadd_rn(__fmul_rn(A[idx], B[idx]), C[idx]);
    }
}
