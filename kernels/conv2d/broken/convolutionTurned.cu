/* convolutionTurned - the filter's rows and columns change places.
 *
 * kx * kSize + ky instead of ky * kSize + kx. A symmetric filter, as blurs and most tests are, hides it; the weights of
 * this family are not symmetric, so that it shows.
 */
// EXPECT: lockstep__barriers.sum == 0
// CAUGHT: wrong size 40x40 block 32x8 k 3

#include "../../lockstep_device.cuh"

extern "C" __global__ void convolutionTurned(const float *input, float *output, const float *kernel, int width,
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
                // behind the border lies the border's pixel again
                int ix = min(max(x + kx, 0), width - 1);
                int iy = min(max(y + ky, 0), height - 1);
                sum += input[iy * width + ix] * kernel[(kx + half) * kSize + (ky + half)];
            }
        }

        output[y * width + x] = sum;
    }
}
