/* histGlobal - one atomic in global memory a byte.
 *
 * The naive rung. A warp loads 32 neighbouring bytes: one sector. Then it asks the L2 cache to add 1 to up to 32
 * different words, and every addition to one bin waits for the one before.
 * Limit: the atomics; there is one request for every 32 bytes, and the 256 bins are one small place in the L2 cache.
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
