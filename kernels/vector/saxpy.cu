/* saxpy - y = a x + y, one element a thread.
 *
 * The tutorial's first kernel. Two loads and a store of 4 sectors each a warp; `a` is a parameter, which is in constant
 * memory and costs no load.
 * Limit: DRAM: 12 bytes for two operations.
 */
// AGAINST: vectorAdd
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void saxpy(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = a * x[i] + y[i];
    }
}
