/* setRowReadColSwizzleHalf - the store swizzled, the load not: every word but those of row 0 is another's.
 */
// CAUGHT: wrong block 32x32

#include "../../lockstep_device.cuh"

extern "C" __global__ void setRowReadColSwizzle(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMY][BDIMX];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store: column x of row y stands at x ^ y
    tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load
    out[idx] = tile[threadIdx.x][threadIdx.y];
}
