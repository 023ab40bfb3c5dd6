/* pageableStreams - "four streams overlap copies with kernels", from pageable memory.
 *
 * The claim: with streams and cudaMemcpyAsync copies in both directions and kernels overlap. From pageable memory
 * every copy makes the host wait until it is done, so the next one is not even asked for: only the kernels hide, and
 * they are a hundredth.
 */
// CAUGHT: claim n 1048576
// CLAIM: lockstep__overlap.pct >= 10

#include "../../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
