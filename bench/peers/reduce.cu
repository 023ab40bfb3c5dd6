/* reduce - the sum of each block's 512 elements: two a thread, then halves added in shared memory. Blocks of 256. */
#include "../../kernels/lockstep_device.cuh"

extern "C" __global__ void reduce(const float *in, float *out)
{
    __shared__ float part[256];
    unsigned int t = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + t;
    part[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
