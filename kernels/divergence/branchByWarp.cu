/* branchByWarp - whole warps go one way.
 *
 * Change: the kind is the warp's parity. As many elements of each kind as before, but no warp has both: one load of 32
 * lanes instead of two of 16. The bytes are the same, requests and sectors half as many.
 * Limit: instructions, none of them in vain.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 4 * n
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

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
#define SIDE_B(x) work(x, 22695477u, 1u)

extern "C" __global__ void branchByWarp(const unsigned int *a, const unsigned int *b, unsigned int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        unsigned int r;
        if (threadIdx.x / 32 & 1)
            r = SIDE_B(b[i]);
        else
            r = SIDE_A(a[i]);
        out[i] = r;
    }
}
