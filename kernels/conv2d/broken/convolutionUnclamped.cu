/* convolutionUnclamped - no border.
 *
 * Without the clamp a window that hangs over the left or right edge reads the neighbouring row's other end, and one
 * over the top or bottom what lies before or behind the image. The middle of the image is right, which is where one
 * looks.
 */
// EXPECT: lockstep__barriers.sum == 0
// CAUGHT: any size 40x40 block 32x8 k 3

#include "../../lockstep_device.cuh"

extern "C" __global__ void convolutionUnclamped(const float *input, float *output, const float *kernel, int width,
                                                int height, int kSize)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        float sum = 0.0f;
        int half = kSize / 2;

        for (int ky = -half; ky <= half; ++ky)
        {
            for (int kx = -half; kx <= half; ++kx)
            {
                int ix = x + kx;
                int iy = y + ky;
                sum += input[iy * width + ix] * kernel[(ky + half) * kSize + (kx + half)];
            }
        }

        output[y * width + x] = sum;
    }
}
