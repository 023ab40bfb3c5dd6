/* schedule_dependent_clean - a step of diffusion from one buffer into the other. */
#include "check.h"

__global__ void diffuse(const float *data, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = i > 0 && i < n ? data[i - 1] : 0, right = i + 1 < n ? data[i + 1] : 0;
    if (i < n)
        out[i] = 0.5f * data[i] + 0.25f * (left + right);
}

int main()
{
    enum { N = 256, BLOCK = 32 };
    static float host[N];
    float *data;
    for (int i = 0; i < N; i++)
        host[i] = (float)(i * 37 % 101);
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    float *out;
    CHECK(cudaMalloc(&out, sizeof host));
    diffuse<<<N / BLOCK, BLOCK>>>(data, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    CHECK(cudaFree(data));
    return 0;
}
