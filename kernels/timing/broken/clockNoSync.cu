/* clockNoSync - as printed: the first look at the clock comes after the launch, and nobody waits.
 *
 * The claim: what lies between the two looks is the kernel's time.
 */
// CAUGHT: claim n 32768
// CLAIM: lockstep__clock_ratio.pct >= 99

#include "../../lockstep_device.cuh"

extern "C" __global__ void cudaKernel(unsigned int *data, int n, int rounds)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n)
    {
        unsigned int x = data[idx];
        for (int i = 0; i < rounds; ++i)
        {
            x = x * 1664525u + 1013904223u;
        }
        data[idx] = x;
    }
}
