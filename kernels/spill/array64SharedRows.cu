/* array64SharedRows - the array in shared memory, each thread's words side by side.
 *
 * Change: parts[thread][k], as one would declare it. Threads are 64 words apart: all lanes of a warp are in one bank,
 * and an access takes 32 wavefronts. Local memory interleaves for this very reason.
 * Limit: bank conflicts, 32-way.
 */
// AGAINST: array64Shared
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 128 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 320 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2048 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 2048 * warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 1984 * warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 1984 * warps when whole

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
        parts[threadIdx.x * LENGTH + j] = x;
        sum += x;
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in the order that memory says; a thread reads its own words only: no barrier
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++)
        result = fmaf(j + 1.0f, parts[threadIdx.x * LENGTH + order[j]] - mean, result);
    out[idx] = result;
}
