/* fmaChains2 - rounds of 32 that are said to be rounds of 16.
 *
 * The loop counts two rounds and does one: the chain is short, and the latency looks half of what it is.
 */
// CAUGHT: wrong n 64

#include "../../lockstep_device.cuh"
#include "../../lockstep_latency.cuh"

#define CHAINS 2
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
    for (unsigned int i = 0; i < n; i += 2 * ROUND) {
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
