/* array8Select - the last selection is missing: whoever asks for element 7 gets element 0.
 */
// CAUGHT: wrong n 1000

#include "../../lockstep_device.cuh"

#define LENGTH 8

static __device__ __forceinline__ float pick(const float *part, unsigned int k)
{
    float found = part[0];
#pragma unroll
    for (unsigned int m = 1; m < LENGTH - 1; m++) found = k == m ? part[m] : found;
    return found;
}

extern "C" __global__ void deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads

    // the thread's elements, n apart
    float part[LENGTH], sum = 0.0f;
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) {
        part[j] = in[j * n + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in the order that memory says
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, pick(part, order[j]) - mean, result);
    out[idx] = result;
}
