/* copyCoalesced - four elements a thread, a grid apart.
 *
 * Change: a thread's elements are as far apart as the grid has threads, so that in each round the lanes of a warp have
 * neighbours: 4 sectors a request, all bytes used. Reads and writes alike.
 * Limit: DRAM.
 */
// LET: whole = n % (4 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct == 100 when whole
// EXPECT: smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct == 100 when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void kernel(int *arr, int *ret, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int i = tid; i < n; i += stride)
    {
        ret[i] = arr[i];
    }
}
