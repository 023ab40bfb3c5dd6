/* copy_not_awaited_global - what a bulk copy brings to device memory is read behind a wait for the copy's reads alone. */
// TOOL: racecheck
// EXPECT: copy-not-awaited line @use
#include "check.h"

__global__ void read_back(int *out)
{
    __shared__ __align__(128) int tile[64];
    const int t = threadIdx.x;
    tile[t] = 3 * t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group.read 0;" ::"l"(out),
                     "r"((unsigned)__cvta_generic_to_shared(tile))
                     : "memory");
    __syncthreads();
    tile[t] = ((volatile int *)out)[63 - t]; // @use
    out[64 + t] = tile[t];
}

int main()
{
    enum { N = 64 };
    static int host[N];
    int *out;
    CHECK(cudaMalloc(&out, 2 * sizeof host));
    read_back<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
