/* matMulNaive - neighbours in a warp along a row of C.
 *
 * Change: x runs along the columns. A warp of a 32 x 8 block shares one element of A (a broadcast: one sector) and
 * reads 32 neighbours of B, four sectors; its store is four sectors. The tutorial calls this kernel uncoalesced;
 * matMulRows is the uncoalesced one.
 * Limit: every element of A and B is loaded again for each element of C that needs it, 2 loads a multiply-add. And no
 * boundary test: sizes must be multiples of the block (broken/matMulNaive.cu shows what happens otherwise).
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// LET: aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0 && k >= 8
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * k * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == (32 / bx + bx / 8) * k * warps when whole && aligned
// EXPECT: l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio == (32 / bx + bx / 8) / 2 when whole && aligned
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole && aligned
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void matMulNaive(float *c, const float *a, const float *b, unsigned int /* nrows */,
                                       unsigned int ncols, unsigned int inner)
{
    // coordinate in C
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    float sum = 0.0f;
    for (unsigned int i = 0; i < inner; i++)
    {
        sum += a[row * inner + i] * b[i * ncols + col];
    }
    c[row * ncols + col] = sum;
}
