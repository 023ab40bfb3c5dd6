/* histSharedPlain - own[value]++ instead of an atomic.
 *
 * Lanes of one warp that have the same value read the same count, and all write the same sum: of 32 additions one is
 * kept.
 */
// CAUGHT: wrong n 100000 block 128x1

#include "../../lockstep_device.cuh"

#define EACH 16

extern "C" __global__ void histShared(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes, a block apart
    unsigned int first = blockIdx.x * blockDim.x * EACH;
    for (unsigned int k = 0; k < EACH; k++)
    {
        unsigned int idx = first + k * blockDim.x + threadIdx.x;
        if (idx < n) own[data[idx]]++;
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
