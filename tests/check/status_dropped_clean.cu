/* status_dropped_clean - as many bytes as there are, and a check. */
#include "check.h"

__global__ void halves(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * i;
}

int main()
{
    enum { N = 100 };
    static double back[N];
    float *out;
    CHECK(cudaMalloc(&out, N * sizeof *out));
    halves<<<1, 128>>>(out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, out, N * sizeof *out, cudaMemcpyDeviceToHost));
    printf("%g\n", ((float *)back)[10]);
    CHECK(cudaFree(out));
    return 0;
}
