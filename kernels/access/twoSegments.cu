/* twoSegments - two words a thread, far apart.
 *
 * Change: the two words are n apart. A request never sees what its thread asks for next: each of the two is coalesced
 * by itself, 4 sectors. How far apart a thread's own accesses are does not matter, only the distance of the lanes.
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void twoSegments(int *arr, int *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = arr[i] + arr[i + n];
    }
}
