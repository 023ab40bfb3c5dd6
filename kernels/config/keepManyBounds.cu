/* keepManyBounds - the same, made to fit blocks of 1024 threads.
 *
 * Change: __launch_bounds__(1024): a block of 1024 threads must be able to start, so there are at most 64 registers a
 * thread. ptxas 13 takes 64 and spills 12 elements (ptxas -v says so, no counter here does). All block sizes run, and
 * 1024 threads an SM instead of 768.
 * Limit: occupancy by registers.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && cols % 8 == 0 && (32 % bx == 0 || bx % 32 == 0) && threads % 32 == 0
// LET: row = min(bx, 32)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 64 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 64 * warps * (32 / row) * ceil_div(row, 8) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == warps * (32 / row) * ceil_div(row, 8) when whole

#include "../lockstep_device.cuh"

#define PLANES 64

extern "C" __global__ void __launch_bounds__(1024)
keepMany(const float *in, float *out, unsigned int rows, unsigned int cols)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= rows || x >= cols) return; // no barrier follows

    // the element of each plane
    unsigned int idx = y * cols + x, plane = rows * cols;
    float part[PLANES], sum = 0.0f;
#pragma unroll
    for (unsigned int j = 0; j < PLANES; j++) {
        part[j] = in[j * plane + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / PLANES), result = 0.0f;

    // their deviations, weighted: all of them are needed again
#pragma unroll
    for (unsigned int j = 0; j < PLANES; j++) result = fmaf(j + 1.0f, part[j] - mean, result);
    out[idx] = result;
}
