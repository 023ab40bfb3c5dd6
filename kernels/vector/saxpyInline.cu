/* saxpyInline - the same function, inlined.
 *
 * Change: __forceinline__ for __noinline__. The code is that of saxpy again: a function costs nothing once it is
 * inlined, and both compilers inline small ones unasked.
 * Limit: DRAM, as in saxpy.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 2 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n
// EXPECT: smsp__sass_data_bytes_mem_global_op_st.sum == 4 * n

#include "../lockstep_device.cuh"

static __device__ __forceinline__ float axpy(float a, float x, float y)
{
    return a * x + y;
}

extern "C" __global__ void saxpyInline(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = axpy(a, x[i], y[i]);
    }
}
