/* array128Bounds - launch bounds that the launch does not keep.
 *
 * __launch_bounds__(64) promises at most 64 threads a block; ptxas may give each so many registers that no more fit. A
 * launch of 128 is refused: it is an error code of the launch, which a program that does not look at it takes for a
 * result.
 */
// CAUGHT: fault n 1000 block 128x1

#include "../../lockstep_device.cuh"

#define LENGTH 128

extern "C" __global__ void __launch_bounds__(64)
deviations(const float *in, const int *order, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return; // nothing is shared between threads
    (void)order; // the order is the reverse, and known here

    // the thread's elements, n apart
    float part[LENGTH], sum = 0.0f;
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) {
        part[j] = in[j * n + idx];
        sum += part[j];
    }
    float mean = sum * (1.0f / LENGTH), result = 0.0f;

    // their deviations, weighted, in reverse
#pragma unroll
    for (unsigned int j = 0; j < LENGTH; j++) result = fmaf(j + 1.0f, part[LENGTH - 1 - j] - mean, result);
    out[idx] = result;
}
