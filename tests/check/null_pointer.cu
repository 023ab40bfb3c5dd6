/* null_pointer - a member of the structure was never allocated. */
// TOOL: memcheck
// EXPECT: null-pointer line @norm
// ALSO: api-error
#include "check.h"

struct points {
    float *x, *y, *norm;
    int n;
};

__global__ void norms(points p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        p.norm[i] = sqrtf(p.x[i] * p.x[i] + p.y[i] * p.y[i]); // @norm
}

int main()
{
    enum { N = 100 };
    points p = {};
    p.n = N;
    CHECK(cudaMalloc(&p.x, N * sizeof(float)));
    CHECK(cudaMalloc(&p.y, N * sizeof(float)));
    CHECK(cudaMemset(p.x, 0, N * sizeof(float)));
    CHECK(cudaMemset(p.y, 0, N * sizeof(float)));
    norms<<<1, 128>>>(p);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(p.x));
    CHECK(cudaFree(p.y));
    CHECK(cudaFree(p.norm));
    return 0;
}
