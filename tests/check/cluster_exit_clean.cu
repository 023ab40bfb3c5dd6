/* cluster_exit_clean - a block reads what the other of its cluster has in shared memory, and both meet before they exit. */
#include "check.h"
#include <cooperative_groups.h>

__global__ void read_other(int *out)
{
    __shared__ int tile[32];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 0)
        out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(tile, 1)[31 - threadIdx.x]; // @use
    cluster.sync();
}

int main()
{
    int *out, host[128];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    launch_clusters(2, 4, 32, read_other, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
