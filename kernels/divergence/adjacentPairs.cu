/* adjacentPairs - a sum, by pairs of neighbours.
 *
 * A launch a level: out[i] = in[2 i] + in[2 i + 1], until one is left; an odd last one is carried over. Each level
 * goes from one buffer to another: in place, as printed for the CPU, blocks would overwrite what others have not read
 * yet. No thread diverges, but each load's lanes are two words apart: 8 sectors, where 4 would do. With n a power of
 * two, the levels of 32 pairs and more make (n - 32) / 32 warps of 2 loads, 16 sectors; then come five of one warp: 2
 * x (4 + 2 + 1 + 1 + 1) sectors.
 * Limit: the last levels: a launch each for a handful of numbers.
 */
// AGAINST: branchByData
// LET: power = n >= 64 && log2(n) % 1 == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * ((n - 32) / 32 + 5) when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * (n - 32) / 32 + 18 when power
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * (n - 1) when power
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == (n - 32) / 32 + 5 when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * (n - 32) / 32 + 6 when power

#include "../lockstep_device.cuh"

extern "C" __global__ void adjacent_pair_sum(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n + 1) / 2)
    {
        int sum = in[2 * i];
        if (2 * i + 1 < n) sum += in[2 * i + 1];
        out[i] = sum;
    }
}
