/* jacobiGridKeep - a block keeps its part; only its edges go through memory.
 *
 * Change: an element a thread, which stays in a register; neighbours exchange through shared memory, blocks through
 * two words of global memory each, in two sets that steps take in turns: a block may be a step ahead. A step loads and
 * stores two words a block (the outer blocks have one neighbour only) instead of three loads and a store a warp, and
 * the data are loaded once and stored once. The barriers of the grid are as many as before, and two of the block a
 * step.
 * Limit: the barrier of the grid, which is most of a step now; and n is the grid's threads at most.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= warps + k * 2 * (blocks - 1) + k * blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps + k * 2 * blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps + k * 2 * blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == k * (blocks + 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 0
// EXPECT: lockstep__barriers.sum == 4 * k * warps
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

// edges: two sets of two words a block, its first and its last element
extern "C" __global__ void jacobi(unsigned int *out, const unsigned int *in, unsigned int *edges, unsigned int n,
                                  unsigned int steps)
{
    __shared__ unsigned int tile[1024 + 2]; // the block's elements, and one on each side
    unsigned int t = threadIdx.x, block = blockIdx.x, last = blockDim.x - 1, idx = block * blockDim.x + t;
    unsigned int value = idx < n ? in[idx] : 0;

    for (unsigned int s = 0; s < steps; s++)
    {
        unsigned int *set = edges + s % 2 * 2 * gridDim.x;
        tile[t + 1] = value;
        if (t == 0) set[2 * block] = value;
        if (t == last) set[2 * block + 1] = value;

        ls_grid_sync();

        if (t == 0) tile[0] = block > 0 ? set[2 * block - 1] : 0;
        if (t == last) tile[t + 2] = block + 1 < gridDim.x ? set[2 * block + 2] : 0;
        __syncthreads();
        if (idx < n) value = tile[t] + 2 * value + tile[t + 2];
        __syncthreads();
    }

    if (idx < n) out[idx] = value;
}
