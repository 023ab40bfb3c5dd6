/* cluster_race_clean - a tile is written by one block and read by the other of its cluster, which meet between. */
#include "check.h"
#include <cooperative_groups.h>

__global__ void swap_tiles(int *out)
{
    __shared__ int tile[32];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = blockIdx.x * 100 + threadIdx.x; // @fill
    cluster.sync();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x]; // @use
    cluster.sync();
}

int main()
{
    int *out, host[128];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    launch_clusters(2, 4, 32, swap_tiles, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
