/* reduceSmemUnroll8 - eight blocks of data a block.
 *
 * Change: against reduceSmemUnroll, eight loads in flight and an eighth of the blocks. What a block does after its
 * loads is the same.
 * Limit: DRAM; small n have few blocks left.
 */
// AGAINST: reduceSmemUnroll
// LET: whole = n % (8 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (8 * block_warps) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (32 * block_warps) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (1) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (1) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks * (2 * block_warps + 9) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == blocks * (2 * block_warps + 4) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when whole
// EXPECT: lockstep__barriers.sum == 5 * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void reduceSmemUnroll8(int *g_idata, int *g_odata, unsigned int n)
{
    // static shared memory
    __shared__ int smem[BDIMX];

    // set thread ID
    unsigned int tid = threadIdx.x;

    // global index, 8 blocks of input data processed at a time
    unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;

    // unrolling 8 blocks: eight independent loads; what lies behind the end of the data counts as 0
    int a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0;
    if (idx < n) a1 = g_idata[idx];
    if (idx + blockDim.x < n) a2 = g_idata[idx + blockDim.x];
    if (idx + 2 * blockDim.x < n) a3 = g_idata[idx + 2 * blockDim.x];
    if (idx + 3 * blockDim.x < n) a4 = g_idata[idx + 3 * blockDim.x];
    if (idx + 4 * blockDim.x < n) a5 = g_idata[idx + 4 * blockDim.x];
    if (idx + 5 * blockDim.x < n) a6 = g_idata[idx + 5 * blockDim.x];
    if (idx + 6 * blockDim.x < n) a7 = g_idata[idx + 6 * blockDim.x];
    if (idx + 7 * blockDim.x < n) a8 = g_idata[idx + 7 * blockDim.x];

    smem[tid] = a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8;
    __syncthreads();

    // in-place reduction in shared memory
    if (blockDim.x >= 1024 && tid < 512) smem[tid] += smem[tid + 512];

    __syncthreads();

    if (blockDim.x >= 512 && tid < 256) smem[tid] += smem[tid + 256];

    __syncthreads();

    if (blockDim.x >= 256 && tid < 128) smem[tid] += smem[tid + 128];

    __syncthreads();

    if (blockDim.x >= 128 && tid < 64) smem[tid] += smem[tid + 64];

    __syncthreads();

    // the last warp: all of it reads before any of it writes
    if (tid < 32)
    {
        volatile int *vsmem = smem;
#pragma unroll
        for (unsigned int stride = 32; stride > 0; stride >>= 1)
        {
            int sum = vsmem[tid] + vsmem[tid + stride];
            __syncwarp();
            vsmem[tid] = sum;
            __syncwarp();
        }
    }

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}
