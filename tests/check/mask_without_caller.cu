/* mask_without_caller - a mask for the lower half of a warp, and both halves call. */
// TOOL: synccheck
// EXPECT: mask-without-caller line @shuffle
#include "check.h"

__global__ void half_sums(const int *in, int *out)
{
    int lane = threadIdx.x % 32, sum = in[threadIdx.x];
    unsigned half = 0x0000ffff;
    for (int offset = 8; offset > 0; offset /= 2)
        sum += __shfl_down_sync(half, sum, offset, 16); // @shuffle
    if (lane % 16 == 0)
        out[threadIdx.x / 16] = sum;
}

int main()
{
    enum { N = 64 };
    int host[N] = {0}, *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, N / 16 * sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    half_sums<<<1, N>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, N / 16 * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
