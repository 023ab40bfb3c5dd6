/* shuffleChain - each shuffle needs the one before.
 *
 * Change: the value comes from the next lane. A shuffle goes through the same crossbar as shared memory: it is nearly
 * as slow as a load from there, and five in a row sum a warp.
 * Limit: latency.
 */
// AGAINST: intChain
// EXPECT: lockstep__cycles_per_step <= 30
// EXPECT: lockstep__cycles_per_step >= 18
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 1
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define ROUND 16

// x is the next lane's x, n times, after a round of 16
extern "C" __global__ void shuffleChain(const unsigned int *in, unsigned int *out, int *cycles, unsigned int n)
{
    unsigned int x = in[threadIdx.x];

    // a round first: then x has come, and the instructions
#pragma unroll
    for (unsigned int j = 0; j < ROUND; j++) x = __shfl_sync(0xffffffffu, x, threadIdx.x + 1);

    long long start = ls_clock(x);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND; j++) x = __shfl_sync(0xffffffffu, x, threadIdx.x + 1);
    }
    long long stop = ls_clock(x);

    out[threadIdx.x] = x;
    cycles[threadIdx.x] = (int)(stop - start);
}
