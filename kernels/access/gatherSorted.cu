/* gatherSorted - by the same list, sorted.
 *
 * Change: none in the code. The list is sorted, so a warp's 32 words are one of each of 32 pairs: 64 words, 8 sectors.
 * Sorting costs once what every later gather saves.
 * Limit: half of each sector is not asked for.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void gatherSorted(int *arr, int *index, int *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = arr[index[i]];
    }
}
