/* globalUniform - the uniform read as a plain global load.
 *
 * Change: volatile, so that the compiler may not choose the read-only path: requests and sectors are the same; only what
 * the cache may keep differs.
 * Limit: the LSU.
 */
// AGAINST: readOnlyUniform
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 17 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (4 + 16) * warps when whole
// EXPECT: idc__requests.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define TABLE 256
#define TERMS 16

extern "C" __global__ void globalUniform(const float *in, float *out, unsigned int n, const float *table)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = idx < n ? in[idx] : 0.0f;

    // not unrolled: each round is one load
#pragma unroll 1
    for (unsigned int j = 0; j < TERMS; j++) sum += *(const volatile float *)(table + 16 * j);

    if (idx < n) out[idx] = sum;
}
