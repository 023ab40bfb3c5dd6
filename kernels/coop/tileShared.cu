/* tileShared - the sums of groups of 16 neighbours, by the whole block.
 *
 * The naive rung of the tiles: every group of 16 threads works by itself, and yet the block's barrier holds all of
 * them together, in four rounds and once before. Shared memory: a store and four rounds of two accesses a warp, in
 * each of which lanes of both its groups work; no two words of a warp share a bank. One lane a group stores: two words
 * of one sector.
 * Limit: barriers that nobody needs.
 */
// AGAINST: sumTwoLaunches
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 4 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 5 * warps
// EXPECT: lockstep__barriers.sum == 4 * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void tileSum(int *out, const int *in, unsigned int n)
{
    __shared__ int sums[1024];
    unsigned int t = threadIdx.x, idx = blockIdx.x * blockDim.x + t, rank = t % 16;
    int sum = idx < n ? in[idx] : 0;
    sums[t] = sum;

    for (unsigned int stride = 8; stride > 0; stride /= 2)
    {
        __syncthreads();
        if (rank < stride)
        {
            sum += sums[t + stride];
            sums[t] = sum;
        }
    }

    if (rank == 0 && idx < n) out[idx / 16] = sum;
}
