/* saxpyStride - one round too many: i <= n.
 *
 * The thread whose turn the element behind the last one would be takes it. In tests with n below a multiple of the
 * allocation's granularity nobody notices; the fence behind y does.
 */
// CAUGHT: any n 1000 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void saxpyStride(int n, float a, float *x, float *y)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += stride)
    {
        y[i] = a * x[i] + y[i];
    }
}
