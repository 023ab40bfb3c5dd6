/* rotateLinearTexture - without the half, where the filter is linear.
 *
 * The mistake: the same. Even at angle 0 every result is now the mean of four pixels: the image is blurred and moved
 * by half a pixel, and looks right.
 */
// CAUGHT: wrong size 33x31 k 360

#include "../../lockstep_texture.cuh"

extern "C" __global__ void rotateLinearTexture(float *output, texture_object image, int width, int height, float cosine,
                                               float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
    {
        // where the pixel comes from; fused by name, so that every compiler finds the same place
        float middleX = 0.5f * (width - 1), middleY = 0.5f * (height - 1);
        float dx = x - middleX, dy = y - middleY;
        float fromX = __fmaf_rn(cosine, dx, __fmaf_rn(sine, dy, middleX));
        float fromY = __fmaf_rn(cosine, dy, __fmaf_rn(-sine, dx, middleY));

        output[y * width + x] = sample(image, fromX, fromY);
    }
}
