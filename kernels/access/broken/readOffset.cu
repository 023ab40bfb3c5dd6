/* readOffset - two bytes off.
 *
 * Said of alignment was: an array that starts 2 bytes off may need two transactions a warp. It needs none: an address
 * of a 4-byte word that is not a multiple of 4 is a fault (CUDA_ERROR_MISALIGNED_ADDRESS).
 */
// CAUGHT: fault n 1000 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void readOffset(int *arr, int *ret, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *off = (int *)((char *)arr + 2 * offset);
    if (i < n)
    {
        ret[i] = off[i];
    }
}
