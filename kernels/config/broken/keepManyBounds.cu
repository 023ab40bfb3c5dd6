/* keepManyBounds - launched with more threads than its launch bounds.
 *
 * __launch_bounds__(256) is a promise to the compiler; the driver refuses a launch that breaks it.
 */
// CAUGHT: fault size 64x64 block 32x16

#include "../../lockstep_device.cuh"

#define PLANES 64

extern "C" __global__ void __launch_bounds__(256)
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
