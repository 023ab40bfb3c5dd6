/* fftButterfly - as printed, but for the sine and cosine, which come from a table.
 *
 * Each thread has one number and overwrites it while the thread at the pair's other end may or may not have read it: a
 * race between warps and blocks. Both ends add, where the upper one must subtract, and both multiply the *other* end by
 * a twiddle. The angle is that of N for every pass, where a pass over `step` turns by 2 * step. And nobody has
 * reversed the bits. It is caught by its result whoever wins the race.
 */
// EXPECT: lockstep__barriers.sum == 0
// CAUGHT: wrong n 1024 batch 1 block 128x1

#include "../../lockstep_complex.cuh"

extern "C" __global__ void fftButterfly(float2 *data, const float2 *table, int N, int step)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int pair = idx ^ step;

    if (idx < N && pair < N)
    {
        // angle = -2 pi (idx & (step - 1)) / N
        float2 twiddle = table[idx & (step - 1)];
        float2 temp = data[idx];
        float2 tempPair = data[pair];

        // Butterfly operation
        data[idx].x = temp.x + twiddle.x * tempPair.x - twiddle.y * tempPair.y;
        data[idx].y = temp.y + twiddle.x * tempPair.y + twiddle.y * tempPair.x;
    }
}
