/* pinned - the same from page-locked memory (cudaMallocHost).
 *
 * Change: where the host's arrays lie, nothing else. The copy engine reads them itself, at the link's rate, and the
 * host is free after the call: it must wait before it looks at the result. Page-locking costs time and takes memory
 * from all others, so it is for buffers that are used again and again.
 * Limit: the link.
 */
// EXPECT: lockstep__copies_htod.sum == 2
// EXPECT: lockstep__bytes_htod.sum == 8 * n
// EXPECT: lockstep__copies_dtoh.sum == 1
// EXPECT: lockstep__bytes_dtoh.sum == 4 * n
// EXPECT: lockstep__launches.sum == 1
// EXPECT: lockstep__host_waits.sum == 1
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
