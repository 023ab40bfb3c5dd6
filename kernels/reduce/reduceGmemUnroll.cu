/* reduceGmemUnroll - four blocks of data a block, in global memory.
 *
 * Change: each thread first adds four elements, a block apart: four independent loads in flight, a quarter of the
 * blocks, and three quarters of the data never enter the costly rounds. The rounds are those of reduceGmem. A block:
 * 4 W loads of 4 sectors and W stores before them.
 * Limit: the rounds in global memory.
 */
// LET: whole = n % (4 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (6 * block_warps + 9) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (24 * block_warps + 36) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (2 * block_warps + 5) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (8 * block_warps + 17) when whole
// EXPECT: lockstep__barriers.sum == 5 * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void reduceGmemUnroll(int *g_idata, int *g_odata, unsigned int n)
{
    // set thread ID
    unsigned int tid = threadIdx.x;

    // this block's part of the data, four times its threads, and how much of it there is
    int *idata = g_idata + blockIdx.x * blockDim.x * 4;
    unsigned int left = n - blockIdx.x * blockDim.x * 4;

    // unrolling 4 blocks: four independent loads; what lies behind the end of the data counts as 0
    int a1 = 0, a2 = 0, a3 = 0, a4 = 0;
    if (tid < left) a1 = idata[tid];
    if (tid + blockDim.x < left) a2 = idata[tid + blockDim.x];
    if (tid + 2 * blockDim.x < left) a3 = idata[tid + 2 * blockDim.x];
    if (tid + 3 * blockDim.x < left) a4 = idata[tid + 3 * blockDim.x];
    if (tid < left) idata[tid] = a1 + a2 + a3 + a4;

    __syncthreads();

    // in-place reduction in global memory
    if (blockDim.x >= 1024 && tid < 512 && tid + 512 < left) idata[tid] += idata[tid + 512];

    __syncthreads();

    if (blockDim.x >= 512 && tid < 256 && tid + 256 < left) idata[tid] += idata[tid + 256];

    __syncthreads();

    if (blockDim.x >= 256 && tid < 128 && tid + 128 < left) idata[tid] += idata[tid + 128];

    __syncthreads();

    if (blockDim.x >= 128 && tid < 64 && tid + 64 < left) idata[tid] += idata[tid + 64];

    __syncthreads();

    // the last warp: all of it reads before any of it writes
    if (tid < 32)
    {
        volatile int *vmem = idata;
#pragma unroll
        for (unsigned int stride = 32; stride > 0; stride >>= 1)
        {
            int sum = 0;
            if (tid + stride < left) sum = vmem[tid] + vmem[tid + stride];
            __syncwarp();
            if (tid + stride < left) vmem[tid] = sum;
            __syncwarp();
        }
    }

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}
