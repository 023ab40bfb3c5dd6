/* rotateTexture - without the half.
 *
 * The mistake: texel (i, j) is taken to lie at (i, j). Its middle is at (i + 0.5, j + 0.5): the unit takes the texel
 * in which the coordinate lies, so this one rounds down where it should round to the nearest.
 */
// CAUGHT: wrong size 33x31

#include "../../lockstep_texture.cuh"

extern "C" __global__ void rotateTexture(float *output, texture_object image, int width, int height, float cosine,
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
