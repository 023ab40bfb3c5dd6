/* rowsPitched - rows that start at multiples of 512 bytes.
 *
 * Change: the pitch, as cudaMallocPitch chooses it. Every row starts with a sector of its own: as many sectors as its
 * words fill, 13 for 100. The memory between rows is paid for, but not moved.
 * Limit: DRAM; the last warp of a row has 4 of 32 lanes at work.
 */
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == blocks * ceil_div(k, 32) when bx % 32 == 0
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == blocks * ceil_div(k, 8) when bx % 32 == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == blocks * ceil_div(k, 32) when bx % 32 == 0
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == blocks * ceil_div(k, 8) when bx % 32 == 0

#include "../lockstep_device.cuh"

extern "C" __global__ void rowsPitched(int *arr, int *ret, int width, int pitch)
{
    int row = blockIdx.x * pitch;
    for (int c = threadIdx.x; c < width; c += blockDim.x)
    {
        ret[row + c] = arr[row + c];
    }
}
