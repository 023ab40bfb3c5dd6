/* global_write_after_read_clean - smoothing into another buffer. */
#include "check.h"

__global__ void smooth(const float *data, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float next = i + 1 < n ? data[i + 1] : 0; // @read
    float mean = i < n ? (data[i] + next) / 2 : 0;
    if (i < n)
        out[i] = mean;
}

int main()
{
    enum { N = 200, BLOCK = 64 };
    static float host[N];
    float *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    float *out;
    CHECK(cudaMalloc(&out, sizeof host));
    smooth<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(data, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    CHECK(cudaFree(data));
    return 0;
}
