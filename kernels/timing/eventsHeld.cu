/* eventsHeld - the stream is held until all is queued.
 *
 * Change: first a kernel that waits for a word in the host's memory, then event, 20 kernels, event; only then the
 * host sets the word. Between the events there is no call any more: all of their time lies after the release, as the
 * host's marks round release and wait show.
 * Limit: none but the events' own resolution, half a microsecond on a GPU. The kernel that holds must be one block,
 * and the work must fit into the queue (about a thousand launches), or both wait for ever.
 */
// EXPECT: lockstep__launches.sum == 21
// EXPECT: lockstep__host_waits.sum == 1
// EXPECT: lockstep__clock_ratio.pct >= 99
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 20 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 80 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void hold(volatile int *released)
{
    while (*released == 0)
    {
    }
}

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
