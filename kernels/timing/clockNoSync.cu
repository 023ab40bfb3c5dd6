/* clockNoSync - the host's clock round a launch: wrong.
 *
 * A launch returns as soon as the work is queued. What the clock shows is the time of the call, some microseconds,
 * whatever the kernel does; events round the same launch say how long it took. The ratio is of the two: far below 100
 * %.
 * Limit: nothing is measured here but the call.
 */
// EXPECT: lockstep__launches.sum == 1
// EXPECT: lockstep__host_waits.sum == 1
// EXPECT: lockstep__clock_ratio.pct <= 75 when n * k >= 500000000
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void cudaKernel(unsigned int *data, int n, int rounds)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n)
    {
        unsigned int x = data[idx];
        for (int i = 0; i < rounds; ++i)
        {
            x = x * 1664525u + 1013904223u;
        }
        data[idx] = x;
    }
}
