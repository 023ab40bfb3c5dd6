/* plugin_kernels - a shared library with kernels, which the program `plugin` opens while it runs. */
#include <cuda_runtime.h>

__device__ int runs;

static __global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
    if (i == 0)
        runs++;
}

/* Scales n numbers of the host; how often it has done so since the library was opened, or -1. */
extern "C" int plugin_scale(float *host, float by, int n)
{
    float *device;
    int count = -1;
    if (cudaMalloc(&device, n * sizeof *device) != cudaSuccess)
        return -1;
    cudaMemcpy(device, host, n * sizeof *device, cudaMemcpyHostToDevice);
    scale<<<(n + 127) / 128, 128>>>(device, by, n);
    cudaMemcpy(host, device, n * sizeof *device, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&count, runs, sizeof count);
    return cudaFree(device) == cudaSuccess && cudaGetLastError() == cudaSuccess ? count : -1;
}
