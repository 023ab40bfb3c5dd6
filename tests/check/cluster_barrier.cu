/* cluster_barrier - threads wait at the cluster's barrier without having arrived. */
// TOOL: synccheck
// EXPECT: cluster-barrier line @wait
#include "check.h"
#include <cooperative_groups.h>

__global__ void meet(int *out)
{
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); // @wait
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
