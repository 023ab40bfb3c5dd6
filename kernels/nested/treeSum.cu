/* treeSum - a parent that needs what its children found.
 *
 * Change: the data are halved down to leaves of 256 elements or fewer, which a warp sums; a node is the sum of its two
 * children. A kernel cannot wait for its children: so the addition is a launch too, the third in the same stream,
 * which begins when the first two are complete, with all that they launched. n = 256 l: l leaves, l - 1 nodes; a
 * node's three launches write 5 + 5 + 2 arguments, its addition makes two loads and a store.
 * Limit: launches.
 */
// LET: leaves = n / 256
// LET: power = n >= 512 && log2(n) % 1 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 32 + 2 * (leaves - 1) when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 8 + 2 * (leaves - 1) when power
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == leaves + 13 * (leaves - 1) when power
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == leaves + 13 * (leaves - 1) when power
// EXPECT: lockstep__barriers.sum == 0
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

enum { LEAF = 256 };

// nodes are numbered from 1 on; the children of k are 2 k and 2 k + 1
extern "C" __global__ void addTwo(int *sums, unsigned int node)
{
    sums[node] = sums[2 * node] + sums[2 * node + 1];
}

// a warp
extern "C" __global__ void treeSum(int *sums, const int *in, unsigned int from, unsigned int n, unsigned int node)
{
    if (n <= LEAF)
    {
        int sum = 0;
        for (unsigned int i = threadIdx.x; i < n; i += warpSize) sum += in[from + i];
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
        if (threadIdx.x == 0) sums[node] = sum;
    }
    else if (threadIdx.x == 0)
    {
        unsigned int half = n / 2;
        int error = LS_LAUNCH(treeSum, 1, 32, 0, LS_STREAM_NULL, sums, in, from, half, 2 * node);
        error |= LS_LAUNCH(treeSum, 1, 32, 0, LS_STREAM_NULL, sums, in, from + half, n - half, 2 * node + 1);
        error |= LS_LAUNCH(addTwo, 1, 1, 0, LS_STREAM_NULL, sums, node);
        if (error) asm volatile("trap;");
    }
}
