/* rect_setRowReadColSwap - what must not be done: the square tile's swapped indices in a rectangular tile.
 *
 * A tile of 16 rows has no row 31: tile[threadIdx.x][threadIdx.y] leaves the array for half of the threads. On a GPU
 * that reads whatever lies behind the tile, or faults.
 */
// CAUGHT: any block 32x16

#include "../../lockstep_device.cuh"

extern "C" __global__ void setRowReadCol(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMY][BDIMX];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store
    tile[threadIdx.y][threadIdx.x] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load; the pointer keeps the compiler from reasoning about the row that does not exist
    int *word = &tile[0][0];
    out[idx] = word[threadIdx.x * BDIMX + threadIdx.y];
}
