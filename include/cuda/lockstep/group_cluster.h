/* group_cluster.h - cooperative_groups::cluster_group: the blocks of a cluster (compute capability 9.0 on). Of a launch that
 * names no clusters each block is one. */
#ifndef LOCKSTEP_GROUP_CLUSTER_H
#define LOCKSTEP_GROUP_CLUSTER_H

#include "group_block.h"

#define LS_D __device__ __forceinline__

namespace ls_group {

#define LS_CLUSTER_WORD(name, sreg)                                                                                    \
    static LS_D unsigned name()                                                                                        \
    {                                                                                                                  \
        unsigned x;                                                                                                    \
        asm("mov.u32 %0, %%" #sreg ";" : "=r"(x));                                                                     \
        return x;                                                                                                      \
    }
LS_CLUSTER_WORD(cluster_rank, cluster_ctarank)
LS_CLUSTER_WORD(cluster_size, cluster_nctarank)
LS_CLUSTER_WORD(cluster_at_x, cluster_ctaid.x)
LS_CLUSTER_WORD(cluster_at_y, cluster_ctaid.y)
LS_CLUSTER_WORD(cluster_at_z, cluster_ctaid.z)
LS_CLUSTER_WORD(cluster_dim_x, cluster_nctaid.x)
LS_CLUSTER_WORD(cluster_dim_y, cluster_nctaid.y)
LS_CLUSTER_WORD(cluster_dim_z, cluster_nctaid.z)
#undef LS_CLUSTER_WORD

static LS_D void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
static LS_D void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

} // namespace ls_group

namespace cooperative_groups {

class cluster_group {
    LS_D cluster_group() {}
    friend LS_D cluster_group this_cluster();

  public:
    struct arrival_token {};
    static LS_D void sync()
    {
        ls_group::cluster_arrive();
        ls_group::cluster_wait();
    }
    static LS_D arrival_token barrier_arrive()
    {
        ls_group::cluster_arrive();
        return arrival_token();
    }
    static LS_D void barrier_wait() { ls_group::cluster_wait(); }
    static LS_D void barrier_wait(arrival_token &&) { ls_group::cluster_wait(); }
    static LS_D unsigned num_blocks() { return ls_group::cluster_size(); }
    static LS_D unsigned block_rank() { return ls_group::cluster_rank(); }
    static LS_D unsigned num_threads() { return num_blocks() * ls_group::block_size(); }
    static LS_D unsigned size() { return num_threads(); }
    static LS_D unsigned thread_rank() { return block_rank() * ls_group::block_size() + ls_group::block_rank(); }
    static LS_D dim3 block_index()
    {
        return dim3(ls_group::cluster_at_x(), ls_group::cluster_at_y(), ls_group::cluster_at_z());
    }
    static LS_D dim3 dim_blocks()
    {
        return dim3(ls_group::cluster_dim_x(), ls_group::cluster_dim_y(), ls_group::cluster_dim_z());
    }
    static LS_D dim3 thread_index()
    {
        const dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y, b.z * blockDim.z + threadIdx.z);
    }
    static LS_D dim3 dim_threads()
    {
        const dim3 n = dim_blocks();
        return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
    }
    /* The block that owns the address, which is generic and of shared memory. */
    static LS_D unsigned query_shared_rank(const void *address)
    {
        unsigned rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }
    /* The same place in the shared memory of another block. */
    template <class T> static LS_D T *map_shared_rank(T *address, int rank)
    {
        T *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
        return there;
    }
};

LS_D cluster_group this_cluster() { return cluster_group(); }

} // namespace cooperative_groups

#undef LS_D
#endif
