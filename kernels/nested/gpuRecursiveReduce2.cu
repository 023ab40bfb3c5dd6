/* gpuRecursiveReduce2 - one launch a level for all blocks.
 *
 * Change: block 0 alone launches the next level, with as many blocks as its own grid has and half the threads:
 * log2(bx) - 1 launches in all. But a child's block k reads what the parent's block k wrote, and block 0 knows nothing
 * of that: in the null stream the child may run before that is there, as in older books. A tail launch begins
 * when the launching grid is complete, all its blocks: it is the barrier of the grid that is needed. No barrier of the
 * block, then: a level's threads touch only what is their own. Each level has as many threads as additions. Five
 * arguments for each launch.
 * Limit: the levels still go through global memory.
 */
// LET: whole = n % bx == 0 && bx >= 64
// LET: w = bx / 32
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * (2 * w + 8) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * (8 * w + 4) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * (w + 4) + 5 * (log2(bx) - 1) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * (4 * w + 2) + 5 * (log2(bx) - 1) when whole
// EXPECT: lockstep__barriers.sum == 0
// EXPECT: lockstep__launches.sum == 1

#include "../lockstep_grid.cuh"

// istride threads a block; a block's part is idim elements
extern "C" __global__ void gpuRecursiveReduce2(int *g_idata, int *g_odata, unsigned int istride, unsigned int idim,
                                               unsigned int n)
{
    // this block's part of the data, and how much of it there is
    unsigned int tid = threadIdx.x, left = n - blockIdx.x * idim;
    int *idata = g_idata + blockIdx.x * idim;

    int sum = tid < left ? idata[tid] : 0;
    if (tid + istride < left) sum += idata[tid + istride];

    // stop condition
    if (istride == 1)
    {
        g_odata[blockIdx.x] = sum;
        return;
    }
    if (tid < left) idata[tid] = sum;

    if (tid == 0 && blockIdx.x == 0)
    {
        int error = LS_LAUNCH(gpuRecursiveReduce2, gridDim.x, istride / 2, 0, LS_STREAM_TAIL, g_idata, g_odata,
                              istride / 2, idim, n);
        if (error) asm volatile("trap;");
    }
}
