/* twoStreams - as printed.
 *
 * The mistakes: only A is copied, B never; the result stays on the device; N / 2 elements each, so that the last of
 * an odd number is nobody's; and the host's memory is pageable, so that every copy makes the host wait and nothing
 * overlaps.
 */
// CAUGHT: wrong n 1001

#include "../../lockstep_device.cuh"

extern "C" __global__ void vectorAdd(float *C, const float *A, const float *B, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
    {
        C[idx] = A[idx] + B[idx];
    }
}
