/* rotate - the first kernel of the chapter on memory access: half a block's words come from other warps, and no barrier
 * stands between the store to shared memory and the load. */
// TOOL: all
// EXPECT: shared-read-after-write line @load other line @store
// ALSO: shared-write-after-read uninitialized-shared
#include "check.h"

__global__ void kernel(int *a, int n)
{
    (void)n;
    int tid = blockIdx.x * blockDim.x + threadIdx.x, tx = threadIdx.x;
    __shared__ int a_s[128];
    a_s[tx] = a[tid];              // @store
    a[tid] = a_s[(tx + 64) % 128]; // @load
}

int main()
{
    enum { N = 4 * 128 };
    static int host[N];
    int *a;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    kernel<<<N / 128, 128>>>(a, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    return 0;
}
