/* copyChunked - whole chunks only.
 *
 * n / 4 chunks of four: the last n % 4 elements are never copied.
 */
// CAUGHT: wrong n 1003 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void copyChunked(int *arr, int *ret, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n / 4)
    {
        for (int i = 4 * tid; i < 4 * tid + 4; i++) ret[i] = arr[i];
    }
}
