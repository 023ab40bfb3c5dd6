/* rotateShared - as printed: no barrier between the store to shared memory and the load from it.
 *
 * A warp reads what another one stores. The first warp comes to its load before the third has stored anything.
 */
// CAUGHT: wrong n 16384 block 128x1

#include "../../lockstep_device.cuh"

extern "C" __global__ void kernel(int *a, int n)
{
    (void)n;
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int tx = threadIdx.x;
    __shared__ int a_s[128];
    a_s[tx] = a[tid];
    a[tid] = a_s[(tx + 64) % 128];
}
