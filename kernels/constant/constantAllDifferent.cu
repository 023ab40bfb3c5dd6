/* constantAllDifferent - a different word for every lane.
 *
 * Change: 32 passes for every load. Constant memory is for addresses that do not depend on the lane; what is right for
 * global memory (neighbours to neighbours) is the worst for it.
 * Limit: the constant cache: 32 times the passes of constantUniform.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: idc__requests.sum == 32 * 16 * warps
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define TABLE 256
#define TERMS 16

__constant__ float table[TABLE];

extern "C" __global__ void constantAllDifferent(const float *in, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int lane = threadIdx.x % 32;
    float sum = idx < n ? in[idx] : 0.0f;

    // not unrolled: each round is one load
#pragma unroll 1
    for (unsigned int j = 0; j < TERMS; j++) sum += table[(32 * j + lane) % TABLE];

    if (idx < n) out[idx] = sum;
}
