/* reduceSum - as printed, with 96 threads: halving gives 48, 24, 12, 6, 3, 1.
 *
 * With 3 left the next stride is 1: the third is never added, and no fault tells.
 */
// CAUGHT: wrong n 960 block 96x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void reduceSum(float *input, float *output, int n)
{
    // dynamic shared memory: blockDim.x words
    extern __shared__ float sdata[];

    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + tid;

    // every thread fills its slot, with 0 behind the end of the data
    sdata[tid] = (idx < n) ? input[idx] : 0.0f;
    __syncthreads();

    // in-place reduction in shared memory
    for (int s = blockDim.x / 2; s > 0; s >>= 1)
    {
        if (tid < s) sdata[tid] += sdata[tid + s];

        // the whole block finishes a round before the next begins
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) output[blockIdx.x] = sdata[0];
}
