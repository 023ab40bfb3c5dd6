/* aosFloat4 - padded to four words.
 *
 * Change: a fourth, unused word makes a structure 16 bytes, aligned to 16: one load takes it, 512 bytes and 16
 * sectors a request. No shared memory, no barrier, a third of the requests, and a third more bytes than are of use.
 * Limit: DRAM, with 16 bytes where 12 would do.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 16 * n
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void aosFloat4(const float4 *points, float *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        float4 p = __ldg(&points[i]);
        ret[i] = p.x * p.x + p.y * p.y + p.z * p.z;
    }
}
