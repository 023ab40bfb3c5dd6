/* out_of_bounds_cluster - an index that leads out of the shared memory of another block of the cluster. */
// TOOL: memcheck
// EXPECT: out-of-bounds line @use
// ALSO: api-error
#include "check.h"
#include <cooperative_groups.h>

__global__ void far(int *out)
{
    __shared__ int tile[32];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x + 16]; // @use
    cluster.sync();
}

int main()
{
    int *out, host[128];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    launch_clusters(2, 4, 32, far, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
