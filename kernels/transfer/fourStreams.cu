/* fourStreams - four quarters.
 *
 * Change: four streams. Less is left alone at the beginning and at the end; every piece costs its calls and
 * latencies.
 * Limit: the link's direction to the device: two thirds of the bytes go there, and it is never idle.
 */
// EXPECT: lockstep__copies_htod.sum == 2 * min(4, n)
// EXPECT: lockstep__bytes_htod.sum == 8 * n
// EXPECT: lockstep__copies_dtoh.sum == min(4, n)
// EXPECT: lockstep__bytes_dtoh.sum == 4 * n
// EXPECT: lockstep__launches.sum == min(4, n)
// EXPECT: lockstep__host_waits.sum == min(4, n)
// LET: whole = n % (4 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 16 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == n / 8 when whole
// EXPECT: lockstep__overlap.pct >= 15 when n >= 1048576

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
