/* intChain - the same with integers.
 *
 * Change: unsigned int. A multiplication with addition of 32 bits is one instruction, as the float's.
 * Limit: latency.
 */
// AGAINST: fmaChain
// EXPECT: lockstep__cycles_per_step <= 8
// EXPECT: lockstep__cycles_per_step >= 4
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 1
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 2
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 8

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define ROUND 16

// x is a * x + b, n times, after a round of 16, modulo 2^32
extern "C" __global__ void intChain(const unsigned int *in, unsigned int *out, int *cycles, unsigned int a,
                                    unsigned int b, unsigned int n)
{
    unsigned int x = in[threadIdx.x];

    // a round first: then x has come, and the instructions
#pragma unroll
    for (unsigned int j = 0; j < ROUND; j++) x = x * a + b;

    long long start = ls_clock(x);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND; j++) x = x * a + b;
    }
    long long stop = ls_clock(x);

    out[threadIdx.x] = x;
    cycles[threadIdx.x] = (int)(stop - start);
}
