/* array8Order - the order counted from one: the array is read a word too far.
 *
 * part[8] is no element. Local memory has no guard between arrays: on a GPU whatever lies there is used.
 */
// CAUGHT: any n 1000

#include "../../lockstep_device.cuh"

#define LENGTH 8

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads

    // the thread's elements, n apart
    float part[LENGTH], sum = 0.0f;
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) {
        part[j] = in[j * n + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in the order that memory says
#pragma unroll 1
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, part[order[j] + 1] - mean, result);
    out[idx] = result;
}
