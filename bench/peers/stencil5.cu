/* stencil5 - a step of heat flow on a square: each inner point from itself and its four neighbours. Blocks of 32 x 8. */
#include "../../kernels/lockstep_device.cuh"

extern "C" __global__ void stencil5(int n, float k, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
        return;
    int i = y * n + x;
    out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4.0f * in[i]);
}
