/* manyCopies - the inputs in k pieces, a copy each.
 *
 * Change: k copies in the place of one for each input. The bytes are the same; every copy costs the host a call and
 * the engine its latency. A program that has its data in pieces packs them into one buffer first: that is the rung
 * before.
 * Limit: k latencies, until a piece is large.
 */
// EXPECT: lockstep__copies_htod.sum == 2 * min(k, n)
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
