/* copyPermuted - neighbours in another order.
 *
 * Change: one element a thread, and lane l takes word l ^ 21 of its warp's segment. A request is the set of its
 * sectors, in whatever order lanes ask: still 4. (Since compute capability 1.2, not only from 6.0 on.)
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void copyPermuted(int *arr, int *ret, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int i = tid ^ 21;
    if (i < n)
    {
        ret[i] = arr[i];
    }
}
