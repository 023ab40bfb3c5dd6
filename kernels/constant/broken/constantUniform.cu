/* constantUniform - the table's words are added in the wrong number.
 *
 * Fault: the loop stops one term early, as loops with < TERMS - 1 do.
 */
// CAUGHT: wrong n 1000 block 128x1

#include "../../lockstep_device.cuh"

#define TABLE 256
#define TERMS 16

__constant__ float table[TABLE];

extern "C" __global__ void constantUniform(const float *in, float *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = idx < n ? in[idx] : 0.0f;
    for (unsigned int j = 0; j < TERMS - 1; j++) sum += table[16 * j];
    if (idx < n) out[idx] = sum;
}
