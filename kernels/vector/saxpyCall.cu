/* saxpyCall - the arithmetic in a function that is not inlined.
 *
 * Change: __noinline__. Every element costs a call and a return, and the caller keeps its values in the registers that
 * the calling convention leaves it. The instruction count (estimated: machine code decides it) rises; requests and
 * sectors do not.
 * Limit: DRAM hides the call here; in a kernel with more arithmetic it would not.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

static __device__ __noinline__ float axpy(float a, float x, float y)
{
    return a * x + y;
}

extern "C" __global__ void saxpyCall(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = axpy(a, x[i], y[i]);
    }
}
