/* stencil_1d_ragged - the stencil with borders, and an array that blocks do not divide: in the last block the loop ends
 * at once for some threads, so its barrier is not for all, and their cells, the others' right neighbours, are not
 * loaded. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: divergent-barrier|barrier-after-exit line @barrier
// EXPECT: out-of-bounds line @right
// EXPECT: uninitialized-shared line @use
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
    enum { N = 3 * BDIM + 40, GRID = 4 };
    static float host[N + 2 * RADIUS];
    const float c[] = {0.0f, 0.8f, -0.2f, 0.038f, -0.0036f};
    float *in, *out;
    CHECK(cudaMemcpyToSymbol(coef, c, sizeof c));
    CHECK(cudaMalloc(&in, (N + 2 * RADIUS) * sizeof *in));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMemcpy(in, host, (N + 2 * RADIUS) * sizeof *in, cudaMemcpyHostToDevice));
    stencil_1d<<<GRID, BDIM>>>(in + RADIUS, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, N * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
