/* tileFlipEarlyReturn - threads outside leave first.
 *
 * What they should have stored is read: slots that nobody wrote. (That they miss the barrier is forgiven by GPUs,
 * which count exited threads as arrived; the language does not promise it.)
 */
// CAUGHT: wrong size 33x70 block 32x8

#include "../../lockstep_device.cuh"

extern __shared__ float tile[];

extern "C" __global__ void tileFlip(const float *in, float *out, unsigned int rows, unsigned int cols)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (y >= rows || x >= cols) return;

    tile[t] = in[y * cols + x];
    __syncthreads();

    // the block, turned by 180 degrees
    out[y * cols + x] = tile[blockDim.x * blockDim.y - 1 - t];
}
