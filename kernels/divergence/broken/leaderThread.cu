/* leaderThread - "if (threadIdx.x == 0): in each warp only one thread goes there".
 *
 * The kernel is right; what was said of it is not. threadIdx.x counts within the block: the first warp alone has a
 * thread 0. If each warp had one, each would make a store of its own here.
 */
// CLAIM: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps
// CAUGHT: claim n 4096 block 128x1

#include "../../lockstep_device.cuh"

// eight rounds of a linear congruence with a shift between: about thirty instructions, too many to predicate
static __device__ __forceinline__ unsigned int work(unsigned int r, unsigned int m, unsigned int c)
{
#pragma unroll
    for (int round = 0; round < 8; round++)
    {
        r = r * m + c;
        r ^= r >> 15;
    }
    // keeps the end of one side apart from the end of the other: compilers would share what is alike
    asm volatile("" : "+r"(r));
    return r;
}

#define SIDE_A(x) work(x, 1664525u, 1013904223u)

extern "C" __global__ void leaderThread(const unsigned int *a, unsigned int *heads, unsigned int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        unsigned int r = a[i];
        if (threadIdx.x == 0)
            heads[blockIdx.x] = SIDE_A(r);
        out[i] = r + 1;
    }
}
