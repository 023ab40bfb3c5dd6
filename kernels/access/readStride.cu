/* readStride - loads k words apart.
 *
 * Change: lane l takes word k l. Up to k = 8 a request spans 32 k words and touches every sector of them: 4 k. From 8
 * words, 32 bytes, on every lane has a sector of its own: 32, and no stride is worse. So the critical stride is 8
 * words, and time stops growing there (until the pages do). `--k 1` to `--k 16` shows it.
 * Limit: sectors: an eighth of what moves is used at k = 8.
 */
// AGAINST: copyCoalesced
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == min(4 * k, 32) * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void readStride(int *arr, int *ret, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = arr[i * stride];
    }
}
