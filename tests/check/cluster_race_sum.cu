/* cluster_race_sum - blocks of a cluster add to one number in the shared memory of the first, and not atomically. */
// TOOL: racecheck
// EXPECT: cluster-race line @add other line @add
#include "check.h"
#include <cooperative_groups.h>

__global__ void add_up(int *out)
{
    __shared__ int sum;
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        sum = 0; // @zero
    cluster.sync();
    int *first = cluster.map_shared_rank(&sum, 0);
    if (threadIdx.x == 0)
        *first += blockIdx.x; // @add
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

int main()
{
    int *out, host[128];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    launch_clusters(2, 4, 32, add_up, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
