/* reduceTotalCluster - one atomic for eight blocks.
 *
 * Change: a cluster of eight blocks. Each writes its sum into the shared memory of the first (mapa, st.shared::cluster), which adds them to
 * the total: an eighth of the reductions that all go to one word in the L2 cache. The first barrier of the cluster says that the first
 * block is there, the second that all sums are.
 * Limit: one load a thread in flight, and blocks wait for each other at both ends.
 */
// AGAINST: reduceTotalAtomicBlock
// LET: whole = n % (8 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == blocks / 8
// EXPECT: lockstep__barriers.sum == 3 * warps

#include "../lockstep_cluster.cuh"

// lane 0 gets the sum of the warp
static __device__ __forceinline__ int warpSum(int sum)
{
#pragma unroll
    for (unsigned int down = 16; down > 0; down >>= 1) sum += __shfl_down_sync(0xffffffff, sum, down);
    return sum;
}

// thread 0 gets the sum of the block, by one word a warp
static __device__ __forceinline__ int blockSum(int *sums, int sum)
{
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    sum = warpSum(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sum = warpSum(lane < blockDim.x / warpSize ? sums[lane] : 0);
    return sum;
}

extern "C" __global__ void reduceTotalCluster(int *g_idata, unsigned long long *g_total, unsigned int n)
{
    // a word a warp: a block has at most 32 warps; a word a block of the cluster, in the first of them
    __shared__ int sums[32], parts[8];

    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = blockSum(sums, idx < n ? g_idata[idx] : 0);

    // to the first block, when it has begun
    ls_cluster_sync();
    unsigned int rank = ls_cluster_rank(), size = ls_cluster_size();
    if (threadIdx.x == 0) ls_cluster_store(&parts[rank], 0, sum);
    ls_cluster_sync();

    // a negative number is added modulo 2^64
    if (rank == 0 && threadIdx.x == 0)
    {
        long long total = 0;
        for (unsigned int r = 0; r < size; r++) total += parts[r];
        atomicAdd(g_total, (unsigned long long)total);
    }
}
