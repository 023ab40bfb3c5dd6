/* reduce_gmem - the reduction in place in global memory: a warp at the end that relies on volatile alone, threads
 * behind the end that return before the barriers, and a tail that is read past the end of the array. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: global-read-after-write|global-write-after-read line @tail other line @tail
// EXPECT: out-of-bounds line @read
// EXPECT: barrier-after-exit line @barrier
// ALSO: global-read-after-write global-write-after-read divergent-barrier out-of-bounds
#include "check.h"

__global__ void reduceGmem(int *g_idata, int *g_odata, unsigned int n)
{
    unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x;
    if (idx >= n)
        return;
    if (blockDim.x >= 128 && tid < 64)
        idata[tid] += idata[tid + 64]; // @read
    __syncthreads();                   // @barrier
    if (tid < 32) {
        volatile int *v = idata;
        v[tid] += v[tid + 32]; // @tail
        v[tid] += v[tid + 16]; // @tail
        v[tid] += v[tid + 8];  // @tail
        v[tid] += v[tid + 4];  // @tail
        v[tid] += v[tid + 2];  // @tail
        v[tid] += v[tid + 1];  // @tail
    }
    if (tid == 0)
        g_odata[blockIdx.x] = idata[0];
}

int main()
{
    enum { N = 512 - 90, BLOCKS = (N + 127) / 128 };
    static int host[N], sums[BLOCKS];
    int *in, *out;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof sums));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reduceGmem<<<BLOCKS, 128>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
