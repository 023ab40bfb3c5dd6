/* array64Shared - the array in shared memory, word k of all threads side by side.
 *
 * Change: shared memory has addresses, and no access of it can go further than the SM. Lane l is in bank l whatever k
 * is: one wavefront. The price is 256 bytes a thread, 32 KiB a block, and occupancy by it.
 * Limit: occupancy by shared memory.
 */
// AGAINST: array64Order
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 128 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 320 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 64 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 64 * warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole

#include "../lockstep_device.cuh"

#define LENGTH 64

extern __shared__ float parts[];

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads

    // the thread's elements, n apart
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) {
        float x = in[j * n + idx];
        parts[j * blockDim.x + threadIdx.x] = x;
        sum += x;
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in the order that memory says; a thread reads its own words only: no barrier
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++)
        result = fmaf(j + 1.0f, parts[order[j] * blockDim.x + threadIdx.x] - mean, result);
    out[idx] = result;
}
