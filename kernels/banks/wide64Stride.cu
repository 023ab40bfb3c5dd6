/* wide64Stride - every second int2.
 *
 * Change: lane i reads pair 2 i. In a half-warp lanes i and i + 8 are 32 words apart: each phase takes two wavefronts.
 * Four in all, of which two are conflicts.
 * Limit: half of the banks are idle in each phase.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 2 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 4 * warps
// EXPECT: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 2 * warps
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void wide64Stride(int2 *out)
{
    // static shared memory, two words a thread
    __shared__ int2 tile[1024];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int threads = blockDim.x * blockDim.y;

    // shared memory store
    tile[idx] = make_int2(2 * idx, 2 * idx + 1);

    // every thread of the block has stored
    __syncthreads();

    // shared memory load: every second pair
    out[idx] = tile[idx * 2 % threads];
}
