/* barrier_count_differs - two warps wait for 64 threads at barrier 1, another one for 96 at the same barrier. */
// TOOL: synccheck
// EXPECT: barrier-count line @barrier
#include "check.h"

__global__ void stages(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    int count = t < 64 ? 64 : 96; // the producers were two warps once
    if (t < 64)
        tile[t] = in[t];
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory"); // @barrier
    if (t >= 64)
        out[t - 64] = tile[t - 64] + tile[t - 32];
}

int main()
{
    enum { N = 64 };
    int host[N] = {0}, *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 32 * sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    stages<<<1, 96>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, 32 * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
