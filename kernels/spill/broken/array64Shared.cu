/* array64Shared - the array is declared for one warp.
 *
 * A block of four warps needs four times the memory; the others' words are behind the end.
 */
// CAUGHT: fault n 1000 block 128x1

#include "../../lockstep_device.cuh"

#define LENGTH 64

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float parts[LENGTH * 32];
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
