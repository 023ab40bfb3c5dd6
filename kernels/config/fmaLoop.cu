/* fmaLoop - 256 multiplications and additions an element.
 *
 * Change: the kind that computes. The bytes are those of copyElements, so 512 operations go with 8 bytes: right of the
 * roofline's ridge on every GPU here. Occupancy matters as long as warps wait for their own last fma: 4 cycles, so a
 * few warps a scheduler do.
 * Limit: multipliers.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && cols % 8 == 0 && (32 % bx == 0 || bx % 32 == 0) && threads % 32 == 0
// LET: row = min(bx, 32)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == warps * (32 / row) * ceil_div(row, 8) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == warps * (32 / row) * ceil_div(row, 8) when whole

#include "../lockstep_device.cuh"

#define FMAS 256

extern "C" __global__ void fmaLoop(const float *in, float *out, unsigned int rows, unsigned int cols, float a, float b)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= rows || x >= cols) return; // no barrier follows

    float value = in[y * cols + x];
#pragma unroll 16
    for (unsigned int i = 0; i < FMAS; i++) value = fmaf(value, a, b);
    out[y * cols + x] = value;
}
