/* block_HillisSteeleOne - one buffer: a warp may read a sum to which another has added in this round already.
 *
 * Lanes of one warp read before they write; warps keep no such order.
 */
// CAUGHT: wrong n 4096 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void blockHillisSteele(unsigned int *out, const unsigned int *in, unsigned int n)
{
    // dynamic shared memory
    extern __shared__ unsigned int now[];

    // set thread ID
    unsigned int tid = threadIdx.x;

    // every thread fills its slot, with 0 behind the end of the data
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = idx < n ? in[idx] : 0;
    now[tid] = sum;
    __syncthreads();

    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2)
    {
        if (tid >= distance) sum += now[tid - distance];
        now[tid] = sum;

        // the whole block finishes a round before the next begins
        __syncthreads();
    }

    if (idx < n) out[idx] = sum;
}
