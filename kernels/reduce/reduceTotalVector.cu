/* reduceTotalVector - four elements a load, and a grid that goes round: the top of the ladder.
 *
 * Change: 16 bytes a load and several loads a thread before the sum is needed; the grid is what the GPU holds at once,
 * so blocks, barriers, shuffles and atomics do not grow with n. Every element is read once: n / 128 requests of 16
 * sectors.
 * Limit: DRAM. There is nothing else left.
 */
// LET: whole = n % 128 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 128 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 8 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == warps

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

extern "C" __global__ void reduceTotalVector(int *g_idata, unsigned long long *g_total, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ int sums[32];

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
    if (threadIdx.x == 0) atomicAdd(g_total, (unsigned long long)(long long)sum);
}
