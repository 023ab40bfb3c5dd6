/* splitKernels - a kernel for each kind.
 *
 * Change: two launches, one over each group, and no test of the kind in either. Counters are the sum of both. Each
 * kernel also has the registers that its own side needs, not the larger number of both.
 * Limit: instructions; two launches cost a few microseconds, unless they run in two streams.
 */
// LET: halves = n % 64 == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 32 when halves
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * n / 32 when halves
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 4 * n
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 32 when halves
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * n / 32 when halves

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

extern "C" __global__ void sideA(const unsigned int *a, unsigned int *out, int firstB)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < firstB)
    {
        out[i] = SIDE_A(a[i]);
    }
}

extern "C" __global__ void sideB(const unsigned int *b, unsigned int *out, int firstB, int n)
{
    int i = firstB + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        out[i] = SIDE_B(b[i]);
    }
}
