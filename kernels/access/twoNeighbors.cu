/* twoNeighbors - two words a thread, neighbours.
 *
 * The sum of two words that lie side by side. For each of the two loads the lanes are two words apart: 8 sectors, of
 * which it uses half; the other load wants the other half.
 * Limit: the L1's sectors: twice what is needed.
 */
// AGAINST: copyCoalesced
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void twoNeighbors(int *arr, int *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = arr[2 * i] + arr[2 * i + 1];
    }
}
