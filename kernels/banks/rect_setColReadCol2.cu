/* rect_setColReadCol2 - the tile by rows again, the threads renumbered instead.
 *
 * Change: the tile is [BDIMY][BDIMX]; a thread's index is split by blockDim.y instead of blockDim.x, which gives its
 * place in the transposed tile (irow, icol). A warp then covers 32 / by columns, each of by words one row (32 words)
 * apart.
 * Limit: still by words on one bank, in load and store: 240 and 240. The declaration was never the reason.
 */
// LET: halves = bx == 32 && 32 % by == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when threads % 32 == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps * by when halves
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == warps * (by - 1) when halves
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps * by when halves
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == warps * (by - 1) when halves
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void setColReadCol2(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMY][BDIMX];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // the same thread's place in the transposed tile
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    // shared memory store
    tile[icol][irow] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[icol][irow];
}
