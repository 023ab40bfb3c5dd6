/* test_shfl_up - values move to higher lanes.
 *
 * Change: lane i gets what lane i - 2 has; the two lowest lanes of each group of 16 keep their own. The step of a prefix
 * sum.
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

extern "C" __global__ void test_shfl_up(const int *in, int *out, unsigned int n)
{
    // all lanes take part in the shuffle; a thread without data holds 0 and stores nothing
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int value = idx < n ? in[idx] : 0;

    value = __shfl_up_sync(0xffffffff, value, 2, 16);

    if (idx < n) out[idx] = value;
}
