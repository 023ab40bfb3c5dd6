/* reduceSumVector - the same for floats: one sum a block.
 *
 * Change: float4. A float atomic would add in another order each time and give another result each time; so the blocks
 * leave their sums, which are the same in every run.
 * Limit: DRAM.
 */
// LET: whole = n % 128 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == n / 128 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == n / 8 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

// lane 0 gets the sum of the warp
static __device__ __forceinline__ float warpSum(float sum)
{
#pragma unroll
    for (unsigned int down = 16; down > 0; down >>= 1) sum += __shfl_down_sync(0xffffffff, sum, down);
    return sum;
}

// thread 0 gets the sum of the block, by one word a warp
static __device__ __forceinline__ float blockSum(float *sums, float sum)
{
    unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    sum = warpSum(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sum = warpSum(lane < blockDim.x / warpSize ? sums[lane] : 0.0f);
    return sum;
}

extern "C" __global__ void reduceSumVector(float *g_idata, float *g_odata, unsigned int n)
{
    // a word a warp: a block has at most 32 warps
    __shared__ float sums[32];

    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned int vectors = n / 4;
    const float4 *data = (const float4 *)g_idata;

    // the grid goes round, whole vectors first
    float sum = 0.0f;
#pragma unroll 4
    for (unsigned int i = thread; i < vectors; i += threads)
    {
        float4 v = data[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }

    // up to three elements are left
    if (thread < n - 4 * vectors) sum += g_idata[4 * vectors + thread];

    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
}
