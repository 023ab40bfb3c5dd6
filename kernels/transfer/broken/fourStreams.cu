/* fourStreams - quarters rounded down.
 *
 * The mistake: N / 4 elements a stream; the last N % 4 are forgotten. With N a power of two it is right.
 */
// CAUGHT: wrong n 1003

#include "../../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
