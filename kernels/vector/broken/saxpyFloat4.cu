/* saxpyFloat4 - without the remainder.
 *
 * n / 4 vectors are all that is computed: the last n % 4 elements keep their old values.
 */
// CAUGHT: wrong n 1003 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void saxpyFloat4(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
    {
        float4 xs = ((float4 *)x)[i], ys = ((float4 *)y)[i];
        ys.x = a * xs.x + ys.x;
        ys.y = a * xs.y + ys.y;
        ys.z = a * xs.z + ys.z;
        ys.w = a * xs.w + ys.w;
        ((float4 *)y)[i] = ys;
    }
}
