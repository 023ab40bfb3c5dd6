// vectors.cu - a program on the runtime library, for test_cuda.sh.
#include <cstdio>
#include <cuda_runtime.h>

template <typename T> __global__ void add(const T *a, const T *b, T *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 1 << 14;
    float *p;
    cudaStream_t stream;
    cudaMalloc(&p, 3 * n * sizeof *p);
    cudaMemset(p, 0, 3 * n * sizeof *p);
    add<<<n / 256, 256>>>(p, p + n, p + 2 * n, n);
    cudaStreamCreate(&stream);
    add<<<n / 256, 256, 0, stream>>>(p, p + n, p + 2 * n, n);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
