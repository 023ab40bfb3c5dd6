/* uninitialized_shared - the halo on the right is never loaded. */
// TOOL: initcheck
// EXPECT: uninitialized-shared line @sum
#include "check.h"

enum { HALO = 2, WIDTH = 64 };

__global__ void box(const float *in, float *out, int n)
{
    __shared__ float tile[WIDTH + 2 * HALO];
    int t = threadIdx.x, i = blockIdx.x * WIDTH + t;
    tile[t + HALO] = i < n ? in[i] : 0;
    if (t < HALO)
        tile[t] = i >= HALO ? in[i - HALO] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = -HALO; j <= HALO; j++)
        sum += tile[t + HALO + j]; // @sum
    if (i < n)
        out[i] = sum / (2 * HALO + 1);
}

int main()
{
    enum { N = 150 };
    static float host[N];
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    box<<<(N + WIDTH - 1) / WIDTH, WIDTH>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
