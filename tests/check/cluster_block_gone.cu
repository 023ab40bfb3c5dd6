/* cluster_block_gone - a block writes to the shared memory of the other of its cluster, which has said that it is done, and exited. */
// TOOL: memcheck
// EXPECT: cluster-block-gone line @use
// ALSO: api-error
#include "check.h"
#include <cooperative_groups.h>

__global__ void too_late(int *out)
{
    __shared__ int tile[32];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = blockIdx.x;
    cluster.sync();
    volatile int *done = out + (blockIdx.x | 1);
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        *done = 1;
    while (cluster.block_rank() == 0 && !*done) {
    }
    if (cluster.block_rank() == 0) {
        __nanosleep(1000);
        cluster.map_shared_rank(tile, 1)[threadIdx.x] = 7; // @use
    }
}

int main()
{
    int *out, host[128];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    launch_clusters(2, 4, 32, too_late, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
