/* reduceSmemUnroll - the bound is a block too strict: the last block of data is dropped.
 *
 * `idx + 4 * blockDim.x <= n` holds in the last block for thread 0 alone, so all but 4 of its elements are lost at
 * any n. Seen in the wild: its counters are those of the recorded run, 12 load requests and 60 sectors short of the
 * right ones (three warps' four loads, and 3 of the 4 sectors of each of the first warp's).
 */
// LET: whole = n % (4 * bx) == 0
// LET: lost = 4 * (block_warps - 1)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps - lost when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps - 4 * lost - 12 when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == blocks * (2 * block_warps + 9) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == blocks * (2 * block_warps + 4) when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0 when whole
// CAUGHT: wrong n 4096 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void reduceSmemUnroll(int *g_idata, int *g_odata, unsigned int n)
{
    // static shared memory
    __shared__ int smem[BDIMX];

    // set thread ID
    unsigned int tid = threadIdx.x;

    // global index, 4 blocks of input data processed at a time
    unsigned int idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    // unrolling 4 blocks
    int tmpSum = 0;
    if (idx + 4 * blockDim.x <= n)
    {
        int a1 = g_idata[idx];
        int a2 = g_idata[idx + blockDim.x];
        int a3 = g_idata[idx + 2 * blockDim.x];
        int a4 = g_idata[idx + 3 * blockDim.x];
        tmpSum = a1 + a2 + a3 + a4;
    }

    smem[tid] = tmpSum;
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
