/* saxpyReload - the loop computes an invariant anew.
 *
 * Change: the factor is a quotient of two numbers in memory. y might be the same memory as a, so no compiler may keep
 * what it read: each round loads both again (one sector each, for all lanes) and divides again. Twice the load
 * requests of saxpyStride, and bytes() counts an address that all lanes share once: 8 bytes a round.
 * Limit: instructions: a division is some ten of them.
 */
// LET: whole = n % 32 == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 4 * n / 32 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 10 * n / 32 when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == n / 32 when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * n / 32 when whole
// EXPECT: smsp__sass_data_bytes_mem_global_op_ld.sum == 8 * n + 8 * n / 32 when whole

#include "../lockstep_device.cuh"

extern "C" __global__ void saxpyReload(int n, float *a, float *x, float *y)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
        y[i] = a[0] / a[1] * x[i] + y[i];
    }
}
