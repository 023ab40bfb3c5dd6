/* stencil_1d - the stencil on an array without borders: it reads in[-4] and four elements behind the end. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: out-of-bounds line @left
// EXPECT: out-of-bounds line @right
#include "check.h"

enum { RADIUS = 4, BDIM = 64 };

__constant__ float coef[RADIUS + 1];

__global__ void stencil_1d(const float *in, float *out, int N)
{
    __shared__ float smem[BDIM + 2 * RADIUS];
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    while (idx < N) {
        int sidx = threadIdx.x + RADIUS;
        smem[sidx] = in[idx]; // @load
        if (threadIdx.x < RADIUS) {
            smem[sidx - RADIUS] = in[idx - RADIUS]; // @left
            smem[sidx + BDIM] = in[idx + BDIM];     // @right
        }
        __syncthreads(); // @barrier
        float tmp = 0.0f;
#pragma unroll
        for (int i = 1; i <= RADIUS; i++)
            tmp += coef[i] * (smem[sidx + i] - smem[sidx - i]); // @use
        out[idx] = tmp;
        idx += gridDim.x * blockDim.x;
    }
}

int main()
{
    enum { N = 4 * BDIM, GRID = 4 };
    static float host[N + 2 * RADIUS];
    const float c[] = {0.0f, 0.8f, -0.2f, 0.038f, -0.0036f};
    float *in, *out;
    CHECK(cudaMemcpyToSymbol(coef, c, sizeof c));
    CHECK(cudaMalloc(&in, N * sizeof *in));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMemcpy(in, host, N * sizeof *in, cudaMemcpyHostToDevice));
    stencil_1d<<<GRID, BDIM>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, N * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
