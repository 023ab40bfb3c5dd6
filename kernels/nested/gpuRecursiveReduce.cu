/* gpuRecursiveReduce - the recursion: each block adds its upper half to its lower half, and launches a child for that.
 *
 * Change: the loop is a chain of launches, log2(bx) - 1 from each block. The barrier before the launch is needed: a
 * child sees what its launching thread has written or seen, and that is the whole block's sums only behind a barrier.
 * After the launch nothing is left to do. Older books' form waits for the child with cudaDeviceSynchronize(), which
 * kernels no longer have; the child stores the result itself, and the host waits for all.
 * Two loads and a store a round as before, the last round stores the result only. Four arguments for each launch. A
 * child of t threads has t / 32 warps at its barrier: 2 W - 1 in those of whole warps, then three of one each.
 * Limit: a launch for every round and block.
 */
// LET: whole = n % bx == 0 && bx >= 64
// LET: launches = log2(bx) - 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (2 * block_warps + 8) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (8 * block_warps + 4) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (block_warps + 4 + 4 * launches) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (4 * block_warps + 2 + 4 * launches) when whole
// EXPECT: lockstep__barriers.sum == blocks * (2 * block_warps + 2) when whole
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

extern "C" __global__ void gpuRecursiveReduce(int *g_idata, int *g_odata, unsigned int isize, unsigned int n)
{
    // this block's part of the data, and how much of it there is
    unsigned int tid = threadIdx.x, left = n - blockIdx.x * isize;
    int *idata = g_idata + blockIdx.x * isize, *odata = g_odata + blockIdx.x;

    // stop condition
    if (isize == 2)
    {
        if (tid == 0) *odata = left > 1 ? idata[0] + idata[1] : idata[0];
        return;
    }

    unsigned int istride = isize / 2;
    if (tid < istride && tid + istride < left) idata[tid] += idata[tid + istride];

    // all of the block's sums, then the child that adds them up
    __syncthreads();
    if (tid == 0)
    {
        int error = LS_LAUNCH(gpuRecursiveReduce, 1, istride, 0, LS_STREAM_NULL, idata, odata, istride,
                              left < istride ? left : istride);
        if (error) asm volatile("trap;");
    }
}
