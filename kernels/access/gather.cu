/* gather - by a list in random order.
 *
 * The list names n of the 2 n words, one of each pair, shuffled. Its own load is coalesced, 4 sectors. The gather's
 * 32 words lie anywhere: 32 sectors, less the chance that two lanes meet in one, 32 * 31 / 2 pairs over n / 4
 * sectors: 0.01 a request at n = 2^18.
 * Limit: sectors, one a lane; in DRAM and L2 likewise.
 */
// AGAINST: copyCoalesced
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum <= 36 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= 35.9 * warps when whole && n >= 262144
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void gather(int *arr, int *index, int *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i] = arr[index[i]];
    }
}
