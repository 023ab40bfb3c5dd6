/* array128Reload - no array: the elements are read twice.
 *
 * Change: the second loop loads again, in whatever order: 128 requests more than array128Order, one for each access of
 * its array. No local memory, few registers, full occupancy. What was read a moment ago may still be in L2.
 * Limit: DRAM or L2: twice the data.
 */
// AGAINST: array128Order
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 384 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (2 * 4 + 1) * 128 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 128

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads

    // the thread's elements, n apart
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) sum += in[j * n + idx];
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in the order that memory says
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, in[order[j] * n + idx] - mean, result);
    out[idx] = result;
}
