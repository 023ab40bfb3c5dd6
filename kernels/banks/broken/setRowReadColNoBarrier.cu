/* setRowReadColNoBarrier - what must not be done: a load of what other warps store, with no barrier between.
 *
 * Every word of a column was stored by another warp. Whether it has done so by then is luck.
 */
// CAUGHT: wrong block 32x32

#include "../../lockstep_device.cuh"

extern "C" __global__ void setRowReadCol(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMY][BDIMX];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[threadIdx.y][threadIdx.x] = idx;

    // shared memory load
    out[idx] = tile[threadIdx.x][threadIdx.y];
}
