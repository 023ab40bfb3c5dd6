/* blockSumOne - one barrier too few: after the fill, and none between the rounds.
 *
 * "They only read each other's sums": and so a warp must wait until they are there. A warp that is ahead adds what a
 * slot held before its owner's last round. A fence would not help: it makes nobody wait.
 */
// CAUGHT: wrong n 1000 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void blockSum(int *out, const int *in, unsigned int n)
{
    __shared__ int sums[1024];
    unsigned int t = threadIdx.x, idx = blockIdx.x * blockDim.x + t;

    // every thread fills its slot, with 0 behind the end of the data
    int sum = idx < n ? in[idx] : 0;
    sums[t] = sum;
    __syncthreads();

    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2)
    {
        if (t < stride)
        {
            sum += sums[t + stride];
            sums[t] = sum;
        }
        __threadfence();
    }

    if (t == 0) out[blockIdx.x] = sum;
}
