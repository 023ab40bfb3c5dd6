/* reduceTotalCooperative - both stages in one kernel, with a barrier of the whole grid between them.
 *
 * Change: the launch is cooperative: all blocks are on the GPU at once, so they may wait for each other. Each leaves
 * its sum, the grid waits, block 0 adds up. The barrier of the grid is two barriers of each block, an atomic, and
 * reads of its word until it turns, however many that takes: loads have a lower bound. Thread 0 of a block does the
 * waiting, and the rest of its warp need not wait for it to come to the block's barrier: it may come in two parts,
 * which count.
 * Limit: DRAM; the barrier is dearer than the atomic of reduceTotalVector.
 */
// AGAINST: reduceTotalVector
// LET: whole = n % 128 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= n / 128 + ceil_div(blocks, 32) + blocks when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks + 1
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks + 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks + 1
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum >= blocks + ceil_div(block_warps, 16)
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum <= blocks + ceil_div(block_warps, 16) + 1
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps + block_warps
// EXPECT: lockstep__barriers.sum >= 3 * warps + block_warps
// EXPECT: lockstep__barriers.sum <= 3 * warps + block_warps + blocks + 1

#include "../lockstep_grid.cuh"

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

extern "C" __global__ void reduceTotalCooperative(int *g_idata, long long *g_total, int *g_sums, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ int sums[32];
    __shared__ long long wide[32];

    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned int vectors = n / 4;
    const int4 *data = (const int4 *)g_idata;

    // the grid goes round, whole vectors first
    int sum = 0;
#pragma unroll 4
    for (unsigned int i = thread; i < vectors; i += threads)
    {
        int4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }

    // up to three elements are left
    if (thread < n - 4 * vectors) sum += g_idata[4 * vectors + thread];

    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) g_sums[blockIdx.x] = sum;

    // all blocks have left their sums
    ls_grid_sync();
    if (blockIdx.x > 0) return;

    // one block adds them up, as a second kernel would
    long long all = 0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) all += g_sums[i];
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    all = warpSum64(all);
    if (lane == 0) wide[warp] = all;
    __syncthreads();
    if (warp == 0) all = warpSum64(lane < blockDim.x / warpSize ? wide[lane] : 0);

    if (threadIdx.x == 0) *g_total = all;
}
