/* reduce_smem_unroll - the reduction in shared memory, four elements a thread: guarded everywhere, but with a last warp
 * that relies on volatile alone. */
// TOOL: all
// EXPECT: shared-read-after-write line @tail other line @tail
// EXPECT: shared-write-after-read line @tail other line @tail
#include "check.h"

__global__ void reduceSmemUnroll(const int *g_idata, int *g_odata, unsigned int n)
{
    __shared__ int smem[128];
    unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    int sum = 0;
    for (unsigned int i = 0; i < 4; i++)
        if (idx + i * blockDim.x < n)
            sum += g_idata[idx + i * blockDim.x];
    smem[tid] = sum;
    __syncthreads();
    if (blockDim.x >= 128 && tid < 64)
        smem[tid] += smem[tid + 64];
    __syncthreads();
    if (tid < 32) {
        volatile int *v = smem;
        v[tid] += v[tid + 32]; // @tail
        v[tid] += v[tid + 16]; // @tail
        v[tid] += v[tid + 8];  // @tail
        v[tid] += v[tid + 4];  // @tail
        v[tid] += v[tid + 2];  // @tail
        v[tid] += v[tid + 1];  // @tail
    }
    if (tid == 0)
        g_odata[blockIdx.x] = smem[0];
}

int main()
{
    enum { N = 1500, BLOCKS = (N + 511) / 512 };
    static int host[N], sums[BLOCKS];
    int *in, *out;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof sums));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reduceSmemUnroll<<<BLOCKS, 128>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
