/* messageNoReaderFence - only the writer fences.
 *
 * The data are in memory before the flag is. But the reader's plain loads may take them from its first-level cache,
 * which still has those of the round before: nothing told it to look again. In the first round all is well, which
 * makes this the fault that tests miss.
 */
// CAUGHT: wrong n 16384 block 128x1

#include "../../lockstep_device.cuh"

enum { ROUNDS = 4 };

// flags: a word up and a word back for each pair, 0 at first
extern "C" __global__ void message(int *out, const int *in, int *slots, volatile unsigned int *flags,
                                   unsigned int *ticket, unsigned int n)
{
    __shared__ unsigned int drawn;
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned int pair = drawn / 2, idx = pair * ROUNDS * blockDim.x + threadIdx.x;
    int *slot = slots + pair * blockDim.x;
    volatile unsigned int *sent = flags + 2 * pair, *taken = sent + 1;

    for (unsigned int round = 0; round < ROUNDS; round++, idx += blockDim.x)
    {
        if (drawn % 2 == 0)
        {
            // the slot is free when the round before has been taken; the first warp waits, all its lanes together
            if (threadIdx.x < warpSize)
            {
                while (*taken < round) {}
                __threadfence();
            }
            __syncthreads();
            slot[threadIdx.x] = idx < n ? in[idx] : 0;
            __syncthreads();
            if (threadIdx.x == 0)
            {
                __threadfence();
                *sent = round + 1;
            }
        }
        else
        {
            while (threadIdx.x < warpSize && *sent <= round) {}
            __syncthreads();
            int value = slot[blockDim.x - 1 - threadIdx.x];
            if (idx < n) out[idx] = value;
            __syncthreads();
            if (threadIdx.x == 0) *taken = round + 1;
        }
    }
}
