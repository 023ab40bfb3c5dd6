/* matMulNaive - as printed, on sizes that the block does not divide.
 *
 * No boundary test: columns behind the last one land in the next row, on top of what belongs there; rows behind the
 * last one read behind A and write behind C.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && threads % 32 == 0
// LET: aligned = bx % 8 == 0 && 32 % bx == 0 && cols % 8 == 0 && k >= 8
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * k * warps when whole
// CAUGHT: any size 33x35 k 16

#include "../../lockstep_device.cuh"

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
