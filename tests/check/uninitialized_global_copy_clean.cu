/* uninitialized_global_copy_clean - both inputs are copied. */
#include "check.h"

__global__ void axpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i]; // @add
}

int main()
{
    enum { N = 300, BLOCK = 128 };
    static float host_x[N], host_y[N];
    float *x, *y;
    CHECK(cudaMalloc(&x, sizeof host_x));
    CHECK(cudaMalloc(&y, sizeof host_y));
    CHECK(cudaMemcpy(x, host_x, sizeof host_x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, host_y, sizeof host_y, cudaMemcpyHostToDevice));
    axpy<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(2.0f, x, y, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host_y, y, sizeof host_y, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return 0;
}
