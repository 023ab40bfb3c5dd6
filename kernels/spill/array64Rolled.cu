/* array64Rolled - the same text, and loops that are not unrolled.
 *
 * Change: unroll 1, twice. In the machine code of a loop the index is a register, so the array must have an address:
 * it is in local memory although nothing in it is dynamic. Requests to global memory are the same; 64 stores and 64
 * loads of local memory a thread come on top (estimated: 4 sectors each a warp).
 * Limit: L1 requests.
 */
// AGAINST: array64
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
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) {
        part[j] = in[j * n + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in reverse
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, part[LENGTH - 1 - j] - mean, result);
    out[idx] = result;
}
