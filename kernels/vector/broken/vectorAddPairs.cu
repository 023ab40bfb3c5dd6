/* vectorAddPairs - the loop as printed: i += 2, and i + 1 never compared with N.
 *
 * Right for the 100 elements of the text; with an odd number the last pair's second half lies behind the end.
 */
// CAUGHT: any n 1001 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void vectorAddPairs(const float *A, const float *B, float *C, int N)
{
    int idx = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
        C[idx + 1] = A[idx + 1] + B[idx + 1];
    }
}
