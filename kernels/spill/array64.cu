/* array64 - sixty-four elements a thread, as registers.
 *
 * Change: LENGTH. All 64 live at once between the two loops, so a thread needs 72 registers (ptxas 13), and the SM's
 * 65,536 hold 7 blocks of 128 threads instead of 16. That is fewer warps, not slow memory: the text's "float arr[64]
 * is not advised" is about this, and its 64 floats a thread come from 1,024 threads an SM; at 2,048 it is 32.
 * Limit: occupancy by registers.
 */
// AGAINST: array8
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 64 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 256 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 64

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
