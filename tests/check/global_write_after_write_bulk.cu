/* global_write_after_write_bulk - the lanes of a warp bring pieces of their own out to one place. */
// TOOL: racecheck
// EXPECT: global-write-after-write line @copy
#include "check.h"

__global__ void brought_out(int *out)
{
    __shared__ __align__(128) int tile[128];
    const int t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        tile[4 * t + k] = 3 * t;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const unsigned from = (unsigned)__cvta_generic_to_shared(tile + 4 * t);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(out), "r"(from) : "memory"); // @copy
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}

int main()
{
    static int host[4];
    int *out;
    CHECK(cudaMalloc(&out, sizeof host));
    brought_out<<<1, 32>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
