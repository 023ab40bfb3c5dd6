/* histSharedZero - no barrier between zeroing the bins and counting.
 *
 * A warp that comes late zeroes bins in which others have counted already.
 */
// CAUGHT: wrong n 100000 block 256x1

#include "../../lockstep_device.cuh"

#define EACH 16

extern "C" __global__ void histShared(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // every thread counts EACH bytes, a block apart
    unsigned int first = blockIdx.x * blockDim.x * EACH;
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;
        if (idx < n) atomicAdd(&own[data[idx]], 1u);
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
