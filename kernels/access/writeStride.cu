/* writeStride - stores k words apart.
 *
 * Change: now the store jumps: as many sectors as the load had, each written in part. Where a choice is (a
 * transposition has it), jumps in loads can be served by the cache, those in stores go through it.
 * Limit: sectors; for DRAM a partly written sector may cost a read besides.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == min(4 * k, 32) * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void writeStride(int *arr, int *ret, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        ret[i * stride] = arr[i];
    }
}
