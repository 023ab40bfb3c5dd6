/* adjacentPairs - n / 2 pairs, as printed: of an odd number of elements the last is lost.
 *
 * The printed function works in place besides, which is right for one thread on a CPU only: in parallel a block
 * stores to words that another one has not read yet. Which of them comes first is chance, so no run proves that
 * fault; a race checker does.
 */
// CAUGHT: wrong n 1001 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void adjacent_pair_sum(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
    {
        out[i] = in[2 * i] + in[2 * i + 1];
    }
}
