/* lockstep_cluster.cuh - clusters: blocks that run at once and reach each other's shared memory, for clang without a toolkit and nvcc.
 * The launch says how many blocks a cluster has. From sm_90 on. PTX ISA 7.8: mapa, barrier.cluster, .shared::cluster. */
#ifndef LOCKSTEP_CLUSTER_CUH
#define LOCKSTEP_CLUSTER_CUH

#include "lockstep_device.cuh"

#define LS_CLUSTER static __device__ __forceinline__

/* Of this block in its cluster, and so many blocks it has. */
LS_CLUSTER unsigned int ls_cluster_rank()
{
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

LS_CLUSTER unsigned int ls_cluster_size()
{
    unsigned int size;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

/* All threads of all blocks have come, and see what was written before. A block may not end while others use its memory. */
LS_CLUSTER void ls_cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Offset in shared memory; and of the same place in the block of that rank. */
LS_CLUSTER unsigned int ls_shared(const void *p)
{
    unsigned int at;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(at) : "l"(p));
    return at;
}

LS_CLUSTER unsigned int ls_shared_of(const void *p, unsigned int rank)
{
    unsigned int at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(ls_shared(p)), "r"(rank));
    return at;
}

/* The word at p in the block of that rank. */
LS_CLUSTER unsigned int ls_cluster_load(const unsigned int *p, unsigned int rank)
{
    unsigned int v;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(ls_shared_of(p, rank)) : "memory");
    return v;
}

LS_CLUSTER void ls_cluster_store(int *p, unsigned int rank, int v)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(ls_shared_of(p, rank)), "r"(v) : "memory");
}

#undef LS_CLUSTER

#endif
