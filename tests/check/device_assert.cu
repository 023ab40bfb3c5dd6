/* device_assert - the kernel asserts that its block has a power of two of threads, which halving needs. */
// TOOL: memcheck
// EXPECT: device-assert line @assert
// ALSO: api-error
#include "check.h"

__global__ void halve(const int *in, int *out)
{
    extern __shared__ int part[];
    int t = threadIdx.x;
    assert((blockDim.x & (blockDim.x - 1)) == 0); // @assert
    part[t] = in[t];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        *out = part[0];
}

int main()
{
    enum { N = 96 };
    int host[N] = {0}, *in, *out, sum;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    halve<<<1, N, sizeof host>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
