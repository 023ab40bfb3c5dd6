/* cluster_race_mbarrier - a block fills another one's box and arrives at its mbarrier, for which that one does not wait. */
// TOOL: racecheck
// EXPECT: cluster-race line @send|take other line @send|take
#include "check.h"
#include <cooperative_groups.h>

__global__ void send(int *out)
{
    __shared__ int box[32];
    __shared__ unsigned long long full;
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(barrier) : "memory");
    cluster.sync();
    if (cluster.block_rank() == 0) {
        unsigned there;
        asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(barrier));
        cluster.map_shared_rank(box, 1)[threadIdx.x] = threadIdx.x * 3; // @send
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
    } else {
        out[blockIdx.x * 32 + threadIdx.x] = box[31 - threadIdx.x]; // @take
    }
    cluster.sync();
}

int main()
{
    int *out, host[128];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    launch_clusters(2, 4, 32, send, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return 0;
}
