/* missing_proxy_fence_bulk - a tile that threads store and a bulk copy brings out, behind a barrier alone. */
// TOOL: racecheck
// EXPECT: missing-proxy-fence line @copy
#include "check.h"

__global__ void brought_out(int *out)
{
    __shared__ __align__(128) int tile[64];
    const int t = threadIdx.x;
    tile[t] = 3 * t;
    __syncthreads();
    if (t == 0) {
        const unsigned from = (unsigned)__cvta_generic_to_shared(tile);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory"); // @copy
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main()
{
    enum { N = 64 };
    static int host[N];
    int *out;
    CHECK(cudaMalloc(&out, sizeof host));
    brought_out<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
