/* optimizedKernel - __fmaf_rn, the tutorial's "fast multiply-add".
 *
 * Change: the fused operation by name. The code is the same fma.rn.f32 as before: what the name buys is the promise of
 * one rounding whatever the flags, so the error may be half an ulp and no more.
 * Limit: DRAM, as before; nothing was gained, and nothing could be.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 12 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void optimizedKernel(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = __fmaf_rn(A[idx], B[idx], C[idx]);
    }
}
