/* doubleBuffer - k pieces through two buffers on the device.
 *
 * Change: two streams, and a set of small device buffers for each. Piece i + 2 goes where piece i was; the stream's
 * order sees to it that piece i is out by then, so no event is needed. The data may be larger than the device's
 * memory.
 * Limit: the link's direction to the device, as before, with 2 / k of the device memory.
 */
// EXPECT: lockstep__copies_htod.sum == 2 * min(k, n)
// EXPECT: lockstep__bytes_htod.sum == 8 * n
// EXPECT: lockstep__copies_dtoh.sum == min(k, n)
// EXPECT: lockstep__bytes_dtoh.sum == 4 * n
// EXPECT: lockstep__launches.sum == min(k, n)
// EXPECT: lockstep__host_waits.sum == 2
// LET: whole = n % (k * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 16 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 4 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == n / 8 when whole
// EXPECT: lockstep__overlap.pct >= 15 when n >= 1048576 && k >= 4 && k <= 16

#include "../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
