/* divideFast - __fdividef: a reciprocal and a product.
 *
 * Change: div.approx.f32. NVIDIA promises 2 ulp for divisors from 2^-126 to 2^126 (and 0 beyond); the exact one has
 * half an ulp. Same requests and sectors: where DRAM is the limit there is nothing to gain by a worse result.
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void divideFast(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = __fdividef(A[idx], B[idx]);
    }
}
