/* branchByData - the data decide, in random order.
 *
 * Change: the kind is read from memory. Half the elements are of either kind, shuffled, so 32 neighbours of one kind
 * are a matter of 2^-31: every warp runs both sides again. A request of one side misses one of its sectors, if all
 * eight lanes there are of the other kind, in 1 of 256 cases.
 * Limit: instructions, twice what is needed, and a load more.
 */
// AGAINST: branchByLane
// LET: whole = n % bx == 0 && bx % 32 == 0 && n >= 65536
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum <= 12 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= 11.9 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
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

extern "C" __global__ void branchByData(const unsigned int *a, const unsigned int *b, unsigned int *out, int n,
                                        const int *kind)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        unsigned int r;
        if (kind[i])
            r = SIDE_B(b[i]);
        else
            r = SIDE_A(a[i]);
        out[i] = r;
    }
}
