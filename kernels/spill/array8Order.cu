/* array8Order - the same eight elements, in an order that stands in memory.
 *
 * Change: part[order[j]]. Registers have no addresses, so an array whose index is known only at run time goes to local
 * memory: word k of all lanes side by side, hence 4 sectors an access when the lanes agree about k. Those sectors are
 * estimated here (8 loads and 8 stores a thread), because whether an array stays in memory is up to ptxas. What is
 * counted: each order[j] is one sector that the whole warp reads.
 * Limit: L1 requests: 4 where there was one.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 40 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 8

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads

    // the thread's elements, n apart
    float part[LENGTH], sum = 0.0f;
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) {
        part[j] = in[j * n + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in the order that memory says
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, part[order[j]] - mean, result);
    out[idx] = result;
}
