/* saxpy - without the test for the end.
 *
 * The last block's threads behind n write to what follows y.
 */
// CAUGHT: any n 1000 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void saxpy(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    (void)n;
    y[i] = a * x[i] + y[i];
}
