/* vectorAdd - one element a thread, neighbours by neighbours.
 *
 * Lane k of a warp takes word k of an aligned segment: 128 bytes, 4 sectors a request, every byte of them asked for.
 * Limit: DRAM. 12 bytes move for one addition; no arithmetic in here can matter.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(const float *A, const float *B, float *C, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
