/* histVectorTail - whole vectors only: up to 15 bytes at the end are not counted.
 */
// CAUGHT: wrong n 100003 block 128x1

#include "../../lockstep_device.cuh"

#define EACH 16

// the four bytes of a word
static __device__ __forceinline__ void countWord(unsigned int *own, unsigned int word)
{
#pragma unroll
    for (unsigned int byte = 0; byte < 4; byte++) atomicAdd(&own[word >> 8 * byte & 255], 1u);
}

extern "C" __global__ void histVector(unsigned int *bins, const unsigned char *data, unsigned int n)
{
    // this block's own bins
    __shared__ unsigned int own[256];

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;

    // all bins are zero before the first byte is counted
    __syncthreads();

    // every thread counts EACH bytes in a row, which are one load
    unsigned int at = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    if (at + EACH <= n)
    {
        uint4 v = *(const uint4 *)(data + at);
        countWord(own, v.x);
        countWord(own, v.y);
        countWord(own, v.z);
        countWord(own, v.w);
    }

    // all bytes are counted before the bins are added up
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}
