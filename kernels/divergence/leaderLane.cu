/* leaderLane - the first lane of each warp does more.
 *
 * Bookkeeping by one lane a warp: 31 lanes of every warp wait for it. A store of one lane, one sector, in every warp.
 * Limit: instructions: about thirty a warp for one result.
 */
// AGAINST: branchByData
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 5 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n + 4 * warps when whole

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

extern "C" __global__ void leaderLane(const unsigned int *a, unsigned int *heads, unsigned int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        unsigned int r = a[i];
        if (threadIdx.x % 32 == 0)
            heads[i / 32] = SIDE_A(r);
        out[i] = r + 1;
    }
}
