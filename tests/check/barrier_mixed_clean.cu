/* barrier_mixed_clean - all warps wait at the barrier that counts. */
#include "check.h"

__global__ void count_positive(const int *in, int *out)
{
    int t = threadIdx.x, count = 0;
    count = __syncthreads_count(t >= 32 && in[t] > 0);
    if (t == 32)
        *out = count;
}

int main()
{
    enum { N = 96 };
    int host[N] = {1, 2, 3}, *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    count_positive<<<1, N>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
