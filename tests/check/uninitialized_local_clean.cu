/* uninitialized_local_clean - a window of 16 that begins with zeros. */
#include "check.h"

__global__ void window_sum(const int *in, const int *order, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int window[16] = {0}, sum = 0;
    for (int j = 0; j < 16 && i + j < n; j++)
        window[j] = in[i + j];
    for (int j = 0; j < 16; j++)
        sum = sum * 3 + window[order[j]]; // @read
    if (i < n)
        out[i] = sum;
}

int main()
{
    enum { N = 64 };
    int host[N] = {0}, mixed[16], *in, *order, *out;
    for (int j = 0; j < 16; j++)
        mixed[j] = j * 5 % 16;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&order, sizeof mixed));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(order, mixed, sizeof mixed, cudaMemcpyHostToDevice));
    window_sum<<<1, N>>>(in, order, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(order));
    return 0;
}
