/* jacobiGridSync - all steps in one launch, a barrier of the grid between them.
 *
 * Change: the loop over the steps is in the kernel, with ls_grid_sync() after each step but the last. The loads and
 * stores of the steps are the same; to them come the barriers' own: k - 1 times an atomic a block, one more to let the
 * others go, and at least a read a block. Two barriers of the block for each one of the grid.
 * Limit: the traffic of the steps is still there.
 */
// LET: whole = n % bx == 0 && n <= threads * blocks
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= k * 3 * warps + (k - 1) * blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == k * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == k * 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == (k - 1) * (blocks + 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 0
// EXPECT: lockstep__barriers.sum == 2 * (k - 1) * warps
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

static __device__ __forceinline__ void step(unsigned int *out, const unsigned int *in, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
        unsigned int left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
        out[i] = left + 2 * in[i] + right;
    }
}

extern "C" __global__ void jacobi(unsigned int *out, unsigned int *in, unsigned int n, unsigned int steps)
{
    for (unsigned int s = 0; s < steps; s++)
    {
        if (s > 0) ls_grid_sync();
        step(out, in, n);

        unsigned int *swap = in;
        in = out;
        out = swap;
    }
}
