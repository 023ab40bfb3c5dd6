/* sineFast - __sinf: the special function unit.
 *
 * Change: sin.approx.f32. For x from -pi to pi NVIDIA promises an absolute error of 2^-21.41, six times 2^-24, and none
 * for larger x; relative to a small sine that is a lot.
 * Limit: DRAM. Both errors stand in the table's error column; Lockstep computes approximations nearly exactly, so what
 * an H200 pays shows with `--on gpu`.
 */
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void sineFast(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = __sinf(x[i]);
    }
}
