/* histGlobal_equal - the same kernel, but all bytes are equal.
 *
 * Change: the data. The number of requests cannot tell: it is the same. What changes is inside a request: its 32
 * additions are to one word. Sectors show that (one a request; they are estimated, for atomics were not compared
 * with hardware), time shows it more.
 * Limit: one word.
 */
// LET: whole = n % (16 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 16 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_red.sum == 16 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

#define EACH 16

extern "C" __global__ void histGlobal(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's part of the data
    unsigned int first = blockIdx.x * blockDim.x * EACH;

    // every thread counts EACH bytes, a block apart
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;
        if (idx < n) atomicAdd(&bins[data[idx]], 1u);
    }
}
