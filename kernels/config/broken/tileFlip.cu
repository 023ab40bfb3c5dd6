/* tileFlip - a block of 256 threads is taken for granted.
 *
 * tile[255 - t] is right for 32 x 8 and 16 x 16, and for others behind the tile, or another half of it.
 */
// CAUGHT: any size 64x64 block 32x4

#include "../../lockstep_device.cuh"

extern __shared__ float tile[];

extern "C" __global__ void tileFlip(const float *in, float *out, unsigned int rows, unsigned int cols)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int t = threadIdx.y * blockDim.x + threadIdx.x;

    // every thread stores, so that every slot that is read was written
    tile[t] = y < rows && x < cols ? in[y * cols + x] : 0.0f;
    __syncthreads();

    // the block, turned by 180 degrees
    if (y < rows && x < cols) out[y * cols + x] = tile[255 - t];
}
