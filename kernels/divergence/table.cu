/* table - one computation, its constants from a table.
 *
 * Change: the two sides differ in two constants only, so these become data: a table of two entries, 8 bytes each, in
 * one sector. All lanes run the same instructions, once. A warp loads its kinds (4 sectors), its entries (1), and its
 * words from either array with one request that spans both (8).
 * Limit: instructions, half as many as before.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0 && n >= 65536
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 3 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum <= 13 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= 12.9 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n + 16 * warps when whole
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

extern "C" __global__ void table(const unsigned int *a, const unsigned int *b, unsigned int *out, int n,
                                 const int *kind, const uint2 *constants)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        int side = kind[i];
        uint2 c = constants[side];
        const unsigned int *from = side ? b : a;
        out[i] = work(from[i], c.x, c.y);
    }
}
