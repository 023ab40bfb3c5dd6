/* saxpyUnroll - four elements a thread, a block apart.
 *
 * Change: a thread takes four elements that are blockDim.x apart, so that each of its eight loads is coalesced as
 * before, and it loads them all before it stores any: eight requests in flight instead of two, a quarter of the
 * threads. As many requests and sectors in all.
 * Limit: DRAM; what changes is how much of its latency a warp hides by itself.
 */
// AGAINST: saxpy
// LET: whole = n % (4 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void saxpyUnroll(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    float xs[4], ys[4];

#pragma unroll
    for (int k = 0; k < 4; k++)
    {
        int j = i + k * blockDim.x;
        xs[k] = j < n ? x[j] : 0.0f;
        ys[k] = j < n ? y[j] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
    {
        int j = i + k * blockDim.x;
        if (j < n) y[j] = a * xs[k] + ys[k];
    }
}
