/* histogram - 256 bins of bytes: counted in shared memory, then added to the whole. Blocks of 256, a thread a bin. */
#include "../../kernels/lockstep_device.cuh"

extern "C" __global__ void histogram(int n, const unsigned char *in, unsigned int *bins)
{
    __shared__ unsigned int part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&part[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}
