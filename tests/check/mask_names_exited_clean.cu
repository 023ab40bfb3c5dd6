/* mask_names_exited_clean - threads behind the end take part, with zero. */
#include "check.h"

__global__ void warp_sums(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? in[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset); // @shuffle
    if (threadIdx.x % 32 == 0 && i < n)
        out[i / 32] = sum;
}

int main()
{
    enum { N = 200, WARPS = (N + 31) / 32 };
    static int host[N];
    int *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, WARPS * sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    warp_sums<<<(N + 63) / 64, 64>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, WARPS * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
