/* constantTwoWay - two different words a warp.
 *
 * Change: each half-warp reads its own word: two passes for every load, twice the requests.
 * Limit: the constant cache, which serves one word at a time.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: idc__requests.sum == 2 * 16 * warps
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define TABLE 256
#define TERMS 16

__constant__ float table[TABLE];

extern "C" __global__ void constantTwoWay(const float *in, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int lane = threadIdx.x % 32;
    float sum = idx < n ? in[idx] : 0.0f;

    // not unrolled: each round is one load
#pragma unroll 1
    for (unsigned int j = 0; j < TERMS; j++) sum += table[16 * j + lane / 16];

    if (idx < n) out[idx] = sum;
}
