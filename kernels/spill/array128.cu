/* array128 - a hundred and twenty-eight elements, as registers.
 *
 * Change: LENGTH. 142 registers a thread (ptxas 13) of the 255 that there can be: 3 blocks of 128 threads an SM.
 * Nothing is spilled.
 * Limit: occupancy by registers.
 */
// AGAINST: array64
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 128 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 512 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 128

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads
    (void)order; // the order is the reverse, and known here

    // the thread's elements, n apart
    float part[LENGTH], sum = 0.0f;
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) {
        part[j] = in[j * n + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in reverse
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, part[LENGTH - 1 - j] - mean, result);
    out[idx] = result;
}
