/* selectBoth - compute both sides, then select.
 *
 * Change: no branch: each thread computes both and keeps one. The loads are of all lanes now: 12 bytes an element
 * where 8 were needed, exactly 12 sectors a warp. For a warp that would run both sides anyway it is no loss, and the
 * two computations overlap; for one that would not, it is twice the work. Compilers do this by themselves for a few
 * instructions (clampBranch).
 * Limit: instructions, as in branchByData, without branches.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 12 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 12 * n
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

extern "C" __global__ void selectBoth(const unsigned int *a, const unsigned int *b, unsigned int *out, int n,
                                      const int *kind)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        unsigned int ra = SIDE_A(a[i]), rb = SIDE_B(b[i]);
        out[i] = kind[i] ? rb : ra;
    }
}
