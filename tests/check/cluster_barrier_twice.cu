/* cluster_barrier_twice - threads arrive twice at the cluster's barrier and wait once. */
// TOOL: synccheck
// EXPECT: cluster-barrier line @arrive
#include "check.h"
#include <cooperative_groups.h>

__global__ void meet(int *out)
{
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); // @arrive
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 32 + threadIdx.x] = cluster.block_rank();
}

int main()
{
    int *out, host[128];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    launch_clusters(2, 4, 32, meet, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
