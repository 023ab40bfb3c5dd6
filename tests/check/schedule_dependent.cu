/* schedule_dependent - a step of diffusion in place, across blocks: what a block finds at its borders depends on which
 * of its neighbours ran before it. */
// TOOL: memcheck
// OPTIONS: --schedules 4 --memory strong
// EXPECT: schedule-dependent
#include "check.h"

__global__ void diffuse(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = i > 0 && i < n ? data[i - 1] : 0, right = i + 1 < n ? data[i + 1] : 0;
    __syncthreads();
    if (i < n)
        data[i] = 0.5f * data[i] + 0.25f * (left + right);
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
    diffuse<<<N / BLOCK, BLOCK>>>(data, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
