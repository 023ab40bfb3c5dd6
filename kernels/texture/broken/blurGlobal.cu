/* blurGlobal - no clamp.
 *
 * The mistake: behind a row's end the next row begins, so pixels of the image's other side come into the mean; above
 * the first row and below the last there is foreign memory.
 */
// CAUGHT: any size 33x31 k 3

#include "../../lockstep_device.cuh"

extern "C" __global__ void blurGlobal(float *output, const float *image, int width, int height, int k, float weight)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        float sum = 0.0f;
        for (int dy = -(k / 2); dy <= k / 2; ++dy)
        {
            for (int dx = -(k / 2); dx <= k / 2; ++dx)
            {
                int ix = x + dx;
                int iy = y + dy;
                sum += image[iy * width + ix];
            }
        }
        output[y * width + x] = weight * sum;
    }
}
