/* copyElements - sizes that blocks divide are taken for granted.
 *
 * Without the comparison threads beyond the last row copy what is behind the matrix to behind the result. (Those
 * beyond the last column copy elements of the next row, once more: no fault, and no wrong result, only work.)
 */
// CAUGHT: any size 33x64 block 32x16

#include "../../lockstep_device.cuh"

extern "C" __global__ void copyElements(const float *in, float *out, unsigned int rows, unsigned int cols)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * cols + x] = in[y * cols + x];
    (void)rows;
}
