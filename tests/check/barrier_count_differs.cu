/* barrier_count_differs - the consumer waits for three warps at barrier 1, the producers for two at the same barrier.
 */
// TOOL: synccheck
// EXPECT: barrier-count line @barrier
// ALSO: deadlock
#include "check.h"

__global__ void stages(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    int count = t < 32 ? 96 : 64; // the consumer, and the two producers
    if (t >= 32)
        tile[t - 32] = in[t - 32];
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory"); // @barrier
    if (t < 32)
        out[t] = tile[t] + tile[t + 32];
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
