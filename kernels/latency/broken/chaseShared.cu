/* chaseShared - the chain goes on by two.
 *
 * The latency is right, and half of the table is never seen: with a table at the size of a cache that decides.
 */
// CAUGHT: wrong n 64

#include "../../lockstep_device.cuh"
#include "../../lockstep_latency.cuh"

#define WORDS 1024
#define ROUND 16

extern "C" __global__ void chaseShared(unsigned int *out, int *cycles, unsigned int n)
{
    // each word has the address of the next but one
    __shared__ unsigned int table[WORDS];
    unsigned int base = ls_shared_address(table);
    for (unsigned int i = threadIdx.x; i < WORDS; i += 32) table[i] = base + 4 * ((i + 2) % WORDS);
    __syncwarp();

    unsigned int p = base;
    long long begin = ls_clock(p);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND; j++) p = ls_next_shared(p);
    }
    long long end = ls_clock(p);

    out[threadIdx.x] = (p - base) / 4;
    cycles[threadIdx.x] = (int)(end - begin);
}
