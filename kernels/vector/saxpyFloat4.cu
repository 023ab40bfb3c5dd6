/* saxpyFloat4 - four neighbours a thread, in one instruction.
 *
 * Change: the four elements are neighbours, and a float4 is loaded at once. A warp's request covers 512 bytes, 16
 * sectors: a quarter of the requests, and exactly as many sectors and bytes as before.
 * Limit: DRAM. The tutorial's fourfold bandwidth does not exist: what falls to a quarter is the number of memory
 * instructions. The last n % 4 elements are taken one by one.
 */
// LET: whole = n % (4 * bx) == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 16 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void saxpyFloat4(int n, float a, float *x, float *y)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n)
    {
        float4 xs = *(float4 *)(x + i), ys = *(float4 *)(y + i);
        ys.x = a * xs.x + ys.x;
        ys.y = a * xs.y + ys.y;
        ys.z = a * xs.z + ys.z;
        ys.w = a * xs.w + ys.w;
        *(float4 *)(y + i) = ys;
    }
    else
    {
        // at most one thread of the grid comes here with something to do
        for (int j = i; j < n; j++) y[j] = a * x[j] + y[j];
    }
}
