/* scaleSync - data *= 2, with a barrier that nothing needs.
 *
 * No thread touches what another one has written, so the barrier orders nothing; but every warp of a block waits for
 * the slowest one's load before any of them stores.
 * Limit: waiting; DRAM is idle meanwhile if too few blocks share the SM.
 */
// AGAINST: saxpy
// LET: whole = n % bx == 0 && bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 4 * warps when whole
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

extern "C" __global__ void scaleSync(float *data, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float value = 0.0f;
    if (idx < N) value = data[idx];
    __syncthreads();
    if (idx < N)
    {
        data[idx] = value * 2.0f;
    }
}
