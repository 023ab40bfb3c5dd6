/* resident - what the second kernel reads stays on the device.
 *
 * Change: no copy and no wait between the kernels; the stream keeps them in order. 12 bytes an element cross the
 * link, as with one kernel. However slow an operation is on the GPU, it is faster than 8 bytes over the link.
 * Limit: the link, for what must cross it.
 */
// EXPECT: lockstep__copies_htod.sum == 2
// EXPECT: lockstep__bytes_htod.sum == 8 * n
// EXPECT: lockstep__copies_dtoh.sum == 1
// EXPECT: lockstep__bytes_dtoh.sum == 4 * n
// EXPECT: lockstep__launches.sum == 2
// EXPECT: lockstep__host_waits.sum == 1
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
