/* shfl_wrap - a rotation within groups of 16 lanes, by a lane that is computed with a modulo. */
// TOOL: all
// HARMLESS: the modulo is superfluous, as __shfl_sync takes the lane modulo the width; the result is right.
#include "check.h"

__global__ void test_shfl_wrap(int *out, const int *in, int offset)
{
    int value = in[threadIdx.x];
    value = __shfl_sync(0xffffffff, value, (threadIdx.x % 16 + offset) % 16, 16);
    out[threadIdx.x] = value;
}

int main()
{
    enum { N = 32 };
    int host[N] = {0}, *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    test_shfl_wrap<<<1, N>>>(out, in, 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
