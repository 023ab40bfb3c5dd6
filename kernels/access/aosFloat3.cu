/* aosFloat3 - an array of structures of three words.
 *
 * The squared length of n points. A float3 is 12 bytes, aligned to 4: three loads, and for each the lanes are three
 * words apart: 384 bytes, 12 sectors. All three ask for the same 12 sectors.
 * Limit: the L1's sectors, three times what is needed; DRAM sees each once, if the cache holds them.
 */
// AGAINST: copyCoalesced
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 36 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 12 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void aosFloat3(const float3 *points, float *ret, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        float3 p = points[i];
        ret[i] = p.x * p.x + p.y * p.y + p.z * p.z;
    }
}
