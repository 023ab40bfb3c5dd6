/* array128Order - a hundred and twenty-eight elements in an order that stands in memory.
 *
 * Change: part[order[j]]: 512 bytes of local memory a thread, a quarter of them in L1 when 2,048 threads share 256
 * KiB.
 * Limit: local memory.
 */
// AGAINST: array128
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 256 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 640 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 128

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
