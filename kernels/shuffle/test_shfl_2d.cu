/* test_shfl_2d - a block of two dimensions.
 *
 * Change: lanes are numbered along x, then y: in a block of 8 x 4 threads a warp is four rows, and lane 9 is thread
 * (1, 1). The exchange with lane i ^ 8 is one between neighbouring rows.
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void test_shfl_2d(const int *in, int *out, unsigned int n)
{
    // the thread's number in its block; its lane is that modulo 32
    unsigned int thread = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int idx = blockIdx.x * (blockDim.x * blockDim.y) + thread;
    int value = idx < n ? in[idx] : 0;

    value = __shfl_xor_sync(0xffffffff, value, 8);

    if (idx < n) out[idx] = value;
}
