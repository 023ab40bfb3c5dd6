/* readOffset - loads k words off.
 *
 * Change: the same order as in memory, but from arr[k] on. 128 bytes that start inside a sector touch five of them
 * instead of four; k in multiples of 8 words, 32 bytes, costs nothing. The fifth sector is the next warp's first, so
 * that the cache usually has it: DRAM hardly notices.
 * Limit: DRAM; the L1 moves a quarter more.
 */
// AGAINST: copyCoalesced
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (4 + (k % 8 != 0)) * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void readOffset(int *arr, int *ret, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = arr[i + offset];
    }
}
