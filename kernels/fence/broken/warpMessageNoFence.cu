/* warpMessageNoFence - within a block, and without a fence.
 *
 * Two warps of a block share a cache and run on one SM, so what could go wrong? The order of the writer's stores is
 * promised to nobody but the writer. __syncwarp() orders the lanes of one warp, not what another warp sees.
 */
// CAUGHT: wrong n 16384 block 128x1

#include "../../lockstep_device.cuh"

enum { ROUNDS = 4 };

// flags: a word up and a word back for each pair, 0 at first
extern "C" __global__ void warpMessage(int *out, const int *in, int *slots, volatile unsigned int *flags,
                                       unsigned int n)
{
    unsigned int lane = threadIdx.x % warpSize, warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    unsigned int pair = warp / 2, idx = pair * ROUNDS * warpSize + lane;
    int *slot = slots + pair * warpSize;
    volatile unsigned int *sent = flags + 2 * pair, *taken = sent + 1;

    for (unsigned int round = 0; round < ROUNDS; round++, idx += warpSize)
    {
        if (warp % 2 == 0)
        {
            // the slot is free when the round before has been taken; all lanes wait, together
            while (*taken < round) {}
            slot[lane] = idx < n ? in[idx] : 0;
            __syncwarp();
            if (lane == 0) *sent = round + 1;
        }
        else
        {
            while (*sent <= round) {}
            int value = slot[warpSize - 1 - lane];
            if (idx < n) out[idx] = value;
            __syncwarp();
            if (lane == 0) *taken = round + 1;
        }
    }
}
