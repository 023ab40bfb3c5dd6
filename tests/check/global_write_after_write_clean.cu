/* global_write_after_write_clean - the index of an element that is too large: the least, by an atomic. */
#include "check.h"

__global__ void find_large(const float *in, int *where, float limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > limit)
        atomicMin(where, i);
}

int main()
{
    enum { N = 300, BLOCK = 64 };
    static float host[N];
    float *in;
    int *where, found = N;
    for (int i = 0; i < N; i++)
        host[i] = (float)(i % 90);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&where, sizeof *where));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(where, &found, sizeof found, cudaMemcpyHostToDevice));
    find_large<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(in, where, 88.5f, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&found, where, sizeof found, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(where));
    return 0;
}
