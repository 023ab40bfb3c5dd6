/* chaseL2 - "larger than L1", and it is not.
 *
 * The table has a word where 128 bytes were meant, so all of it fits into L1: the end of the chain is right, and what
 * was measured is another memory.
 */
// CAUGHT: wrong n 4096

#include "../../lockstep_device.cuh"
#include "../../lockstep_latency.cuh"

#define LINE 8 // bytes from address to address: should be those of a cache line
#define ROUND 16

extern "C" __global__ void chaseGlobal(const void **table, unsigned int *out, int *cycles, unsigned int lines,
                                       unsigned int n)
{
    for (unsigned int i = threadIdx.x; i < lines; i += 32) table[i * (LINE / 8)] = table + (i + 1) % lines * (LINE / 8);
    __syncwarp();

    // once round, so that the caches have what they can hold
    const void *p = table;
#pragma unroll 1
    for (unsigned int i = 0; i < lines; i++) p = ls_next_global(p);

    long long begin = ls_clock(p);
#pragma unroll 1
    for (unsigned int i = 0; i < n; i += ROUND) {
#pragma unroll
        for (unsigned int j = 0; j < ROUND; j++) p = ls_next_global(p);
    }
    long long end = ls_clock(p);

    out[threadIdx.x] = (unsigned int)(((const char *)p - (const char *)table) / LINE);
    cycles[threadIdx.x] = (int)(end - begin);
}
