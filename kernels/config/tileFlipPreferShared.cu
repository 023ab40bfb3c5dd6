/* tileFlipPreferShared - the same, and shared memory as large as it gets.
 *
 * Change: 100 %, what cudaFuncCachePreferShared has become. All blocks fit again; what is left for L1 is 28 KiB of 256
 * on Hopper, which this kernel does not miss, because it reads nothing twice.
 * Limit: DRAM.
 */
// LET: whole = rows % by == 0 && cols % bx == 0 && cols % 8 == 0 && (32 % bx == 0 || bx % 32 == 0) && threads % 32 == 0
// LET: row = min(bx, 32)
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == warps * (32 / row) * ceil_div(row, 8) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == warps * (32 / row) * ceil_div(row, 8) when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == warps when whole
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0 when whole
// EXPECT: lockstep__barriers.sum == blocks * block_warps
// EXPECT: launch__shared_mem_per_block_dynamic == max(4 * threads, 1024 * k)

#include "../lockstep_device.cuh"

extern __shared__ float tile[];

extern "C" __global__ void tileFlip(const float *in, float *out, unsigned int rows, unsigned int cols)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int t = threadIdx.y * blockDim.x + threadIdx.x;

    // every thread stores, so that every slot that is read was written
    tile[t] = y < rows && x < cols ? in[y * cols + x] : 0.0f;
    __syncthreads();

    // the block, turned by 180 degrees
    if (y < rows && x < cols) out[y * cols + x] = tile[blockDim.x * blockDim.y - 1 - t];
}
