/* divergent_barrier_clean - every thread comes to the barrier; only loads and stores are guarded. */
#include "check.h"

__global__ void mirror(const int *in, int *out, int *last, int n)
{
    __shared__ int tile[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, mine = 0;
    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    mine = tile[t ^ 1];
    if (i < n)
        out[i] = mine;
    __syncthreads();
    tile[t] = mine;
    __syncthreads();
    if (t == 0)
        last[blockIdx.x] = tile[63];
}

int main()
{
    enum { N = 104, BLOCKS = (N + 63) / 64 };
    int host[N] = {0}, *in, *out, *last;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&last, BLOCKS * sizeof *last));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirror<<<BLOCKS, 64>>>(in, out, last, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(last));
    return 0;
}
