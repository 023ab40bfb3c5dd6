/* divergent_barrier - the barrier stands in the boundary test. The threads of the last warp that are behind the end do
 * not come to it; they go on to the next barrier, and it is taken for this one. */
// TOOL: synccheck
// EXPECT: divergent-barrier line @barrier
// ALSO: divergent-barrier
#include "check.h"

__global__ void mirror(const int *in, int *out, int *last, int n)
{
    __shared__ int tile[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, mine = 0;
    if (i < n) {
        tile[t] = in[i];
        __syncthreads(); // @barrier
        mine = tile[t ^ 1];
        out[i] = mine;
    }
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
