/* branchByLane - odd lanes go one way, even lanes the other.
 *
 * Two computations of some thirty instructions, one for each kind of element, and the kind is the lane's parity:
 * every warp runs both, one after the other, with half of its lanes. What shows exactly: each side's load is a
 * request of its own with 16 lanes, 64 bytes, and yet all 4 sectors. Branch uniformity and threads an instruction are
 * estimates (machine code decides them), and stay far below 100 and 32.
 * Limit: instructions, twice what is needed. GPUs do not predict branches; they mask lanes.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
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

extern "C" __global__ void branchByLane(const unsigned int *a, const unsigned int *b, unsigned int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        unsigned int r;
        if (threadIdx.x & 1)
            r = SIDE_B(b[i]);
        else
            r = SIDE_A(a[i]);
        out[i] = r;
    }
}
