/* test_shfl_struct - a struct changes places.
 *
 * Change: a pair of words, as a struct, goes over as two shuffles. There is no shuffle of structs; a function that takes
 * it apart and puts it together costs nothing once it is inlined.
 * Limit: DRAM.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8 * warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

struct pair
{
    int low, high;
};

static __device__ __forceinline__ pair exchange(pair mine, int lane_mask)
{
    pair theirs;
    theirs.low = __shfl_xor_sync(0xffffffff, mine.low, lane_mask, 16);
    theirs.high = __shfl_xor_sync(0xffffffff, mine.high, lane_mask, 16);
    return theirs;
}

extern "C" __global__ void test_shfl_struct(const int *in, int *out, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int half = n / 2;
    struct pair value = {0, 0};
    if (idx < half)
    {
        value.low = in[idx];
        value.high = in[idx + half];
    }

    value = exchange(value, 1);

    if (idx < half)
    {
        out[idx] = value.low;
        out[idx + half] = value.high;
    }
}
