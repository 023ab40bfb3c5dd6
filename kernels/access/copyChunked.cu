/* copyChunked - four neighbours a thread, one after the other.
 *
 * As on a CPU, every worker has its own piece of the array. But the lanes of a warp load at the same time, and in
 * each of the four rounds their words are four apart: 512 bytes, 16 sectors for 128 bytes asked for. All rounds
 * together ask for each sector four times and hope for the cache.
 * Limit: the L1's sectors: 25 % of each is used a request.
 */
// LET: whole = n % (4 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 64 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct == 25 when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void copyChunked(int *arr, int *ret, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 4 * tid; i < 4 * tid + 4 && i < n; i++)
    {
        ret[i] = arr[i];
    }
}
