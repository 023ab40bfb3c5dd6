/* events - recorded in another stream than the kernel's.
 *
 * The claim: events tell the kernel's time, as the synchronised clock does to within a factor of two. They tell when
 * their own stream came to them, and it had nothing to wait for.
 */
// CAUGHT: claim n 32768
// CLAIM: lockstep__clock_ratio.pct <= 200

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
