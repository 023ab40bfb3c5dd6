/* twoStreams - two halves, a stream each.
 *
 * Change: each half has its copies and its kernel in its own stream: while the second half comes in, the first is
 * added and goes out; the link has a lane for each direction. The tutorial's example, with what it forgets:
 * page-locked memory, both inputs, the result, and the odd element (broken/twoStreams.cu is as printed).
 * Limit: the link, and what cannot overlap: the first copy in and the last one out.
 */
// AGAINST: pinned
// EXPECT: lockstep__copies_htod.sum == 2 * min(2, n)
// EXPECT: lockstep__bytes_htod.sum == 8 * n
// EXPECT: lockstep__copies_dtoh.sum == min(2, n)
// EXPECT: lockstep__bytes_dtoh.sum == 4 * n
// EXPECT: lockstep__launches.sum == min(2, n)
// EXPECT: lockstep__host_waits.sum == min(2, n)
// LET: whole = n % (2 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 16 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == n / 8 when whole
// EXPECT: lockstep__overlap.pct >= 10 when n >= 1048576

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
