/* readOnlyAllDifferent - a different word for every lane through the read-only path.
 *
 * Change: 32 neighbouring words are one request of 4 sectors: what cost the constant cache 32 passes is free here.
 * Limit: the LSU.
 */
// AGAINST: constantAllDifferent
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 17 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (4 + 16 * 4) * warps when whole
// EXPECT: idc__requests.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define TABLE 256
#define TERMS 16

extern "C" __global__ void readOnlyAllDifferent(const float *in, float *out, unsigned int n, const float *table)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int lane = threadIdx.x % 32;
    float sum = idx < n ? in[idx] : 0.0f;

    // not unrolled: each round is one load
#pragma unroll 1
    for (unsigned int j = 0; j < TERMS; j++) sum += __ldg(table + (32 * j + lane) % TABLE);

    if (idx < n) out[idx] = sum;
}
