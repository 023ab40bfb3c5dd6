/* aosFloat3Shared - read as words, taken apart in shared memory.
 *
 * Change: the block reads its 3 bx words as they lie, 4 sectors a request, and puts them into shared memory; there
 * each thread takes its three. Lanes three words apart are in 32 different banks, because 3 and 32 have no common
 * factor: one wavefront each.
 * Limit: DRAM, at the price of a barrier and six wavefronts a warp.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 3 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 3 * warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void aosFloat3Shared(const float3 *points, float *ret, int n)
{
    __shared__ float words[3 * 1024];
    const float *all = (const float *)points;
    long long first = 3ll * blockIdx.x * blockDim.x;
#pragma unroll
    for (int c = 0; c < 3; c++)
    {
        int j = c * blockDim.x + threadIdx.x;
        if (first + j < 3ll * n) words[j] = all[first + j];
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        float3 p = make_float3(words[3 * threadIdx.x], words[3 * threadIdx.x + 1], words[3 * threadIdx.x + 2]);
        ret[i] = p.x * p.x + p.y * p.y + p.z * p.z;
    }
}
