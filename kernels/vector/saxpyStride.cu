/* saxpyStride - a grid of fixed size walks over the data.
 *
 * Change: a thread takes every (number of threads)-th element, so that neighbours stay with neighbours in every round,
 * and the grid's size is the machine's business, not the data's. Requests and sectors are those of saxpy, spread over
 * fewer warps; the index arithmetic is paid once a thread.
 * Limit: DRAM.
 */
// AGAINST: saxpy
// LET: whole = n % 32 == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * n / 32 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * n / 32 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 32 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * n / 32 when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

extern "C" __global__ void saxpyStride(int n, float a, float *x, float *y)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
        y[i] = a * x[i] + y[i];
    }
}
