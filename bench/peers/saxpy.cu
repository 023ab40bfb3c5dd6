/* saxpy - y = a x + y, a thread an element. Blocks of 256. */
#include "../../kernels/lockstep_device.cuh"

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
