/* reduceTotalAtomicThread - every thread adds its element to the one sum.
 *
 * Change: no shared memory, no barrier, no second kernel, and no parallelism: 32 additions a request, all to one word
 * of the L2 cache.
 * Limit: that word. Requests are as many as loads; the time is another's.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == warps when whole
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void reduceTotalAtomicThread(int *g_idata, unsigned long long *g_total, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    // a negative number is added modulo 2^64
    if (idx < n) atomicAdd(g_total, (unsigned long long)(long long)g_idata[idx]);
}
