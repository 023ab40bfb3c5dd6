/* uninitialized_copy - a filter keeps some of the elements; the host copies as many back as there might have been. */
// TOOL: initcheck
// EXPECT: uninitialized-copy line @copy
#include "check.h"

__global__ void keep_even(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 == 0)
        out[atomicAdd(count, 1)] = in[i];
}

int main()
{
    enum { N = 300, BLOCK = 128 };
    static int host[N];
    int *in, *out, *count, kept;
    for (int i = 0; i < N; i++)
        host[i] = i % 7;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(count, 0, sizeof *count));
    keep_even<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, count, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&kept, count, sizeof kept, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); // @copy
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(count));
    return 0;
}
