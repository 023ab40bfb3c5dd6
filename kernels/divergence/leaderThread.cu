/* leaderThread - if (threadIdx.x == 0).
 *
 * Change: one thread a block. It holds up its own warp; the block's other warps skip the side as one. The tutorial's
 * "only one thread of each warp" is not so: of a block of 256, one warp in eight diverges (broken/leaderThread.cu).
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps + blocks when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps + blocks when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n + 4 * blocks when whole

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
