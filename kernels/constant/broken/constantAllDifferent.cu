/* constantAllDifferent - the lane's index runs over the end of the table.
 *
 * Fault: the modulo is forgotten: the last rounds read behind the table, which is all that the constant bank has here.
 */
// CAUGHT: any n 1000 block 128x1

#include "../../lockstep_device.cuh"

#define TABLE 256
#define TERMS 16

__constant__ float table[TABLE];

extern "C" __global__ void constantAllDifferent(const float *in, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int lane = threadIdx.x % 32;
    float sum = idx < n ? in[idx] : 0.0f;
#pragma unroll 1
    for (unsigned int j = 0; j < TERMS; j++) sum += table[32 * j + lane];
    if (idx < n) out[idx] = sum;
}
