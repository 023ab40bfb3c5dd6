/* unwritten_output_clean - the number of blocks is rounded up. */
#include "check.h"

__global__ void scale(const float *in, float *out, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * factor;
}

int main()
{
    enum { N = 1000, BLOCK = 256 };
    static float host[N];
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    scale<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, 3.0f, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); // @copy
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
