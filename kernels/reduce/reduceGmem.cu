/* reduceGmem - the rounds unrolled, the last warp without barriers.
 *
 * Change: strides down to 64 are written out; the last warp goes on alone, with __syncwarp() instead of
 * __syncthreads(). All its lanes work in all six steps, which costs nothing: a request is a request. Rounds before: W
 * - 2 whole warps. The six steps: 12 loads of 4+4, 4+4, 4+4, 4+5, 4+5, 4+5 sectors (an offset below 8 words straddles
 * sectors), 6 stores. `volatile` keeps each access in the program; it orders nothing between lanes. That is what
 * __syncwarp() does.
 * Limit: global memory; 17 loads and 9 stores for four warps' worth of data.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (2 * block_warps + 9) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (8 * block_warps + 36) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (block_warps + 5) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (4 * block_warps + 17) when whole
// EXPECT: lockstep__barriers.sum == 4 * warps

#include "../lockstep_device.cuh"

extern "C" __global__ void reduceGmem(int *g_idata, int *g_odata, unsigned int n)
{
    // set thread ID
    unsigned int tid = threadIdx.x;

    // this block's part of the data, and how much of it there is
    int *idata = g_idata + blockIdx.x * blockDim.x;
    unsigned int left = n - blockIdx.x * blockDim.x;

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
