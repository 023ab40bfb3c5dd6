/* array8Select - the order stands in memory, the array does not.
 *
 * Change: the element is chosen by seven selections, each with an index that is known. The array is in registers
 * again; an access costs 14 instructions and no memory. Pays for short arrays only: the work grows with the square of
 * LENGTH.
 * Limit: instructions.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 40 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

#define LENGTH 8

static __device__ __forceinline__ float pick(const float *part, unsigned int k)
{
    float found = part[0];
#pragma unroll
    for (unsigned int m = 1; m < LENGTH; m++) found = k == m ? part[m] : found;
    return found;
}

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads

    // the thread's elements, n apart
    float part[LENGTH], sum = 0.0f;
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) {
        part[j] = in[j * n + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in the order that memory says
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, pick(part, order[j]) - mean, result);
    out[idx] = result;
}
