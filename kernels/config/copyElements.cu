/* copyElements - 4 bytes in, 4 bytes out, nothing else.
 *
 * Change: the first kind of kernel, the one that moves data. What the shape of the block changes is how a warp lies on
 * the rows: 32 x anything is one row of 128 bytes; 8 x 4 is four pieces of a sector each, as many sectors; 4 x 8 is
 * half sectors, twice as many. Blocks of 32 threads leave half of the SM's warps empty, because it holds 32 blocks.
 * Limit: DRAM.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && cols % 8 == 0 && (32 % bx == 0 || bx % 32 == 0) && threads % 32 == 0
// LET: row = min(bx, 32)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == warps * (32 / row) * ceil_div(row, 8) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == warps * (32 / row) * ceil_div(row, 8) when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void copyElements(const float *in, float *out, unsigned int rows, unsigned int cols)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols) out[y * cols + x] = in[y * cols + x];
}
