/* reduceTotalTwoStage - the sum of all: a second kernel adds the blocks' sums.
 *
 * Change: against reduceShfl, a kernel of one block comes after, the barrier between them being the end of the first.
 * It reads the B sums, and writes one number of 64 bits. Its words in shared memory are 8 bytes: half a warp of them a
 * wavefront.
 * Limit: one load a thread in flight; a second launch.
 */
// AGAINST: reduceShfl
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps + ceil_div(blocks, 32) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps + ceil_div(blocks, 8) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks + 1
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks + 1
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks + ceil_div(block_warps, 16)
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + block_warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == warps + block_warps

#include "../lockstep_device.cuh"

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

extern "C" __global__ void reduceTotalTwoStage(int *g_idata, int *g_odata, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ int sums[32];

    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = blockSum(sums, idx < n ? g_idata[idx] : 0);

    // write result for this block to global mem
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
}

// lane 0 gets the sum of the warp; a shuffle moves 32 bits
static __device__ __forceinline__ long long warpSum64(long long sum)
{
#pragma unroll
    for (unsigned int down = 16; down > 0; down >>= 1)
    {
        unsigned int low = __shfl_down_sync(0xffffffff, (unsigned int)sum, down);
        unsigned int high = __shfl_down_sync(0xffffffff, (unsigned int)(sum >> 32), down);
        sum += (long long)((unsigned long long)high << 32 | low);
    }
    return sum;
}

extern "C" __global__ void addSums(int *g_sums, long long *g_total, unsigned int n)
{
    __shared__ long long sums[32];

    // one block: each thread adds every blockDim.x-th sum
    long long sum = 0;
    for (unsigned int idx = threadIdx.x; idx < n; idx += blockDim.x) sum += g_sums[idx];

    // the block's sum, as above but of 64 bits
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    sum = warpSum64(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sum = warpSum64(lane < blockDim.x / warpSize ? sums[lane] : 0);

    if (threadIdx.x == 0) *g_total = sum;
}
