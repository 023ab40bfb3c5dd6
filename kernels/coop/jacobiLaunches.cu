/* jacobiLaunches - k steps of a stencil, a launch a step.
 *
 * out[i] = in[i - 1] + 2 in[i] + in[i + 1], with zeros beside the data, from one buffer to the other and back. A step
 * needs all of the step before; the end of a launch is the barrier. Integers modulo 2^32. Loads of a warp: its own 32
 * words, 4 sectors, and 32 words to the left and to the right of it, which lie in 5 each. (The first warp's left ones:
 * lane 0 has none, so they lie in 4; the last one's right ones too.)
 * Limit: k launches, and 3 loads and a store of everything in each.
 */
// AGAINST: centreTwoLaunches
// LET: whole = n % bx == 0 && n <= threads * blocks
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == k * 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == k * (14 * warps - 2) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == k * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == k * 4 * warps when whole
// EXPECT: lockstep__barriers.sum == 0
// EXPECT: lockstep__launches.sum == k

#include "../lockstep_grid.cuh"

static __device__ __forceinline__ void step(unsigned int *out, const unsigned int *in, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
        unsigned int left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
        out[i] = left + 2 * in[i] + right;
    }
}

extern "C" __global__ void jacobi(unsigned int *out, const unsigned int *in, unsigned int n)
{
    step(out, in, n);
}
