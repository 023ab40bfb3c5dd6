/* array128Bounds - the same, and a promise that makes ptxas spill.
 *
 * Change: __launch_bounds__(256, 4): blocks have at most 256 threads, and four of them shall fit an SM. So ptxas may
 * use 65,536 / 1,024 = 64 registers, and keeps the other elements in local memory. The occupancy doubles; the spills
 * are in no PTX and therefore in no counter here. ptxas -v says it: 396 bytes a thread. More warps that wait for more
 * memory.
 * Limit: local memory, unseen.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 128 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 512 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 128

extern "C" __global__ void __launch_bounds__(256, 4)
deviations(const float *in, const int *order, float *out, unsigned int n)
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
