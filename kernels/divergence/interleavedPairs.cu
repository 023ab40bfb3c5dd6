/* interleavedPairs - a sum, by pairs half the data apart.
 *
 * Change: the partner is half the data away. Both loads of a warp are of 32 neighbours: 4 sectors each. The five last
 * levels: 4 sectors for 16 pairs, 2 for each of the others.
 * Limit: the last levels, as before; a block should take over where one suffices (the family reduce).
 */
// LET: power = n >= 64 && log2(n) % 1 == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * ((n - 32) / 32 + 5) when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * (n - 32) / 32 + 12 when power
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * (n - 1) when power
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == (n - 32) / 32 + 5 when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * (n - 32) / 32 + 6 when power

#include "../lockstep_device.cuh"

extern "C" __global__ void interleaved_pair_sum(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int half = (n + 1) / 2;
    if (i < half)
    {
        int sum = in[i];
        if (i + half < n) sum += in[i + half];
        out[i] = sum;
    }
}
