/* mask_without_caller_syncwarp - __syncwarp with a mask for the lower half of a warp, and both halves call. */
// TOOL: synccheck
// EXPECT: mask-without-caller line @sync
#include "check.h"

__global__ void half_sums(const int *in, int *out)
{
    __shared__ int part[64];
    int t = threadIdx.x;
    unsigned half = 0x0000ffff;
    part[t] = in[t];
    for (int offset = 8; offset > 0; offset /= 2) {
        __syncwarp(half); // @sync
        if (t % 16 < offset)
            part[t] += part[t + offset];
    }
    if (t % 16 == 0)
        out[t / 16] = part[t];
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
