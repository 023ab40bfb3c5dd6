/* convolutionShared - as printed: half of the halo is missing.
 *
 * The halo is loaded on the left and above only: the columns to the right, the rows below and all four corners of the
 * tile hold whatever was in shared memory. The halo's loads forget that a block may hang over the image (threads
 * beyond the right edge load the rows above all the same), and with a radius that the compiler knows, no other filter
 * than 3 x 3 fits.
 */
// EXPECT: lockstep__barriers.sum == warps
// CAUGHT: any size 64x64 block 16x16 k 3

#include "../../lockstep_device.cuh"

#define TILE_WIDTH 16
#define KERNEL_RADIUS 1
#define TILE_SIZE (TILE_WIDTH + 2 * KERNEL_RADIUS)

extern "C" __global__ void convolutionShared(const float *input, float *output, const float *kernel, int width,
                                             int height, int kSize)
{
    __shared__ float sharedInput[TILE_SIZE][TILE_SIZE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;

    // load data into shared memory with halo
    if (row < height && col < width)
        sharedInput[ty + KERNEL_RADIUS][tx + KERNEL_RADIUS] = input[row * width + col];

    // load halo regions
    if (tx < KERNEL_RADIUS)
    {
        if (col >= KERNEL_RADIUS)
            sharedInput[ty + KERNEL_RADIUS][tx] = input[row * width + (col - KERNEL_RADIUS)];
        else
            sharedInput[ty + KERNEL_RADIUS][tx] = input[row * width];
    }
    if (ty < KERNEL_RADIUS)
    {
        if (row >= KERNEL_RADIUS)
            sharedInput[ty][tx + KERNEL_RADIUS] = input[(row - KERNEL_RADIUS) * width + col];
        else
            sharedInput[ty][tx + KERNEL_RADIUS] = input[col];
    }
    __syncthreads();

    // perform convolution
    if (row < height && col < width)
    {
        float sum = 0.0f;
        for (int ky = -KERNEL_RADIUS; ky <= KERNEL_RADIUS; ++ky)
        {
            for (int kx = -KERNEL_RADIUS; kx <= KERNEL_RADIUS; ++kx)
            {
                sum += sharedInput[ty + KERNEL_RADIUS + ky][tx + KERNEL_RADIUS + kx] *
                       kernel[(ky + KERNEL_RADIUS) * kSize + (kx + KERNEL_RADIUS)];
            }
        }
        output[row * width + col] = sum;
    }
}
