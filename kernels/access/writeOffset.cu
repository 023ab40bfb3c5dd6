/* writeOffset - stores k words off.
 *
 * Change: now the store is off. Five sectors again, and the first and last of them are written in part: a partly
 * written sector is merged in L2, which has to keep track of the bytes.
 * Limit: DRAM, if both parts meet in L2 before the sector is evicted.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == (4 + (k % 8 != 0)) * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void writeOffset(int *arr, int *ret, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i + offset] = arr[i];
    }
}
