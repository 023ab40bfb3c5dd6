/* clockSync - the host waits before it looks at its clock.
 *
 * Change: a synchronisation between the launch and the second look. Now the clock's span has the kernel in it, and
 * the call, the way to the GPU and back and the waking of the host: too much by some ten microseconds, which matters
 * for short kernels.
 * Limit: the constant that is added to every measurement.
 */
// EXPECT: lockstep__launches.sum == 1
// EXPECT: lockstep__host_waits.sum == 1
// EXPECT: lockstep__clock_ratio.pct >= 99
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
