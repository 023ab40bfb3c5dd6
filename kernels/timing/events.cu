/* events - the GPU takes the times.
 *
 * Change: what counts is the time between two events, which the GPU writes when it comes to them; and the work is 20
 * short kernels now. The host's marks show something else here: they stand round the calls alone, and all of that
 * time lies between the events too, because the first event is over before the first launch is issued. Where kernels
 * are shorter than calls, this measures calls.
 * Limit: the host's calls lie between the events.
 */
// EXPECT: lockstep__launches.sum == 20
// EXPECT: lockstep__host_waits.sum == 1
// EXPECT: lockstep__clock_ratio.pct <= 101
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 20 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 80 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 20 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 80 * warps when whole

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
