/* reduceTotalCluster, broken: the first block adds up before the others have written their sums.
 */
// CAUGHT: any n 65536 block 128x1

#include "../../lockstep_cluster.cuh"

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
    __syncthreads(); // FAULT: the block's barrier, where the cluster's is needed

    // a negative number is added modulo 2^64
    if (rank == 0 && threadIdx.x == 0)
    {
        long long total = 0;
        for (unsigned int r = 0; r < size; r++) total += parts[r];
        atomicAdd(g_total, (unsigned long long)total);
    }
}
