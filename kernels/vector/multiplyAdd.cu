/* multiplyAdd - a * b + c, as one writes it.
 *
 * Change: C is read too, and multiplied and added instead of added: 16 bytes an element. Both compilers contract the
 * expression to one fused multiply-add unless they are told not to (-ffp-contract=off, --fmad=false).
 * Limit: DRAM.
 */
// AGAINST: vectorAdd
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 12 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void multiplyAdd(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] * B[idx] + C[idx];
    }
}
