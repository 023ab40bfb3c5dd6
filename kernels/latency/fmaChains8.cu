/* fmaChains8 - eight chains.
 *
 * Change: CHAINS. Nothing is left to hide: eight steps take eight cycles. Chains in one thread, or warps with one
 * chain each, it is the same to the scheduler; what it needs is (latency x rate) independent instructions.
 * Limit: the multipliers.
 */
// EXPECT: lockstep__cycles_per_step <= 2.75
// EXPECT: lockstep__cycles_per_step >= 1
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == 8
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == 9
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 36

#include "../lockstep_device.cuh"
#include "../lockstep_latency.cuh"

#define CHAINS 8
#define ROUND 16

// x is a * x + b, n times in each chain, after a round of 16; a and b are arguments, so that nothing is known of them
extern "C" __global__ void fmaChains(const float *in, float *out, int *cycles, float a, float b, unsigned int n)
{
    float x[CHAINS];
#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++) x[c] = in[32 * c + threadIdx.x];

    // a round first: then x has come, and the instructions
#pragma unroll
    for (unsigned int j = 0; j < ROUND * CHAINS; j++) x[j % CHAINS] = fmaf(x[j % CHAINS], a, b);

#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++) ls_hold(x[c]);
    long long start = ls_clock(x[0]);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND * CHAINS; j++) x[j % CHAINS] = fmaf(x[j % CHAINS], a, b);
    }
#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++) ls_hold(x[c]);
    long long stop = ls_clock(x[0]);

#pragma unroll
    for (unsigned int c = 0; c < CHAINS; c++) out[32 * c + threadIdx.x] = x[c];
    cycles[threadIdx.x] = (int)(stop - start);
}
