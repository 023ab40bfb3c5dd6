/* test_shfl_xor_array - an array changes places, word by word.
 *
 * Change: four values a thread. A shuffle moves 32 bits, so an array takes as many shuffles as it has words; unrolled,
 * the array stays in registers and no local memory is touched.
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 64 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 64 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

#define SEGM 4

extern "C" __global__ void test_shfl_xor_array(const int *in, int *out, unsigned int n)
{
    // four consecutive values a thread; each load has its own guard, so they are four loads, 16 bytes apart
    unsigned int idx = (blockIdx.x * blockDim.x + threadIdx.x) * SEGM;
    int value[SEGM];
#pragma unroll
    for (int i = 0; i < SEGM; i++) value[i] = idx + i < n ? in[idx + i] : 0;

#pragma unroll
    for (int i = 0; i < SEGM; i++) value[i] = __shfl_xor_sync(0xffffffff, value[i], 1, 16);

#pragma unroll
    for (int i = 0; i < SEGM; i++)
        if (idx + i < n) out[idx + i] = value[i];
}
