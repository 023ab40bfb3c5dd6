/* barrier_after_exit - threads behind the end return first, as in kernels without a barrier. */
// TOOL: synccheck
// EXPECT: barrier-after-exit line @barrier
#include "check.h"

__global__ void block_sums(const int *in, int *out, int n)
{
    __shared__ int part[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = 0;
    if (i >= n)
        return;
    part[t] = in[i];
    __syncthreads(); // @barrier
    for (int s = 64; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads(); // @barrier
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

int main()
{
    enum { N = 450, BLOCKS = (N + 127) / 128 };
    static int host[N];
    int *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, BLOCKS * sizeof *out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    block_sums<<<BLOCKS, 128>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, BLOCKS * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
