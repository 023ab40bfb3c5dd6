/* roundTrip - two kernels, and the result of the first goes to the host and back.
 *
 * The task is now D = (A + B) + B. Between the kernels C is copied to the host, which only hands it back.
 * Limit: the link: of 20 bytes an element 8 are for nothing.
 */
// AGAINST: pinned
// EXPECT: lockstep__copies_htod.sum == 3
// EXPECT: lockstep__bytes_htod.sum == 12 * n
// EXPECT: lockstep__copies_dtoh.sum == 2
// EXPECT: lockstep__bytes_dtoh.sum == 8 * n
// EXPECT: lockstep__launches.sum == 2
// EXPECT: lockstep__host_waits.sum == 2
// LET: whole = n % (1 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
