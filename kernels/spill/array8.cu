/* array8 - eight elements a thread, and every index is known when compiling.
 *
 * Change: the first rung. Both loops are unrolled, so part[0] to part[7] are eight variables and ptxas gives each a
 * register: an array of this kind costs no memory at all. Plane j of the data is read by a warp as 128 bytes.
 * Limit: DRAM; 4 bytes a multiplication.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 8

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
