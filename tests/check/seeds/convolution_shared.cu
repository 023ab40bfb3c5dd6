/* convolution_shared - a halo on the left and above only, the other borders and all corners are never loaded; and its
 * loads are guarded at the far side only: blocks that hang over the image read behind it. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: uninitialized-shared line @sum
// EXPECT: out-of-bounds line @left
// ALSO: global-read-after-write
#include "check.h"

enum { RADIUS = 1, TILE_WIDTH = 16, TILE_SIZE = TILE_WIDTH + 2 * RADIUS };

__global__ void convolutionShared(const float *input, float *output, const float *kernel, int width, int height,
                                  int kSize)
{
    __shared__ float tile[TILE_SIZE][TILE_SIZE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty, col = blockIdx.x * TILE_WIDTH + tx;
    if (row < height && col < width)
        tile[ty + RADIUS][tx + RADIUS] = input[row * width + col];
    if (tx < RADIUS)
        tile[ty + RADIUS][tx] = input[row * width + (col >= RADIUS ? col - RADIUS : 0)]; // @left
    if (ty < RADIUS)
        tile[ty][tx + RADIUS] = row >= RADIUS ? input[(row - RADIUS) * width + col] : input[col];
    __syncthreads();
    if (row < height && col < width) {
        float sum = 0.0f;
        for (int ky = -RADIUS; ky <= RADIUS; ++ky)
            for (int kx = -RADIUS; kx <= RADIUS; ++kx)
                sum += tile[ty + RADIUS + ky][tx + RADIUS + kx] * // @sum
                       kernel[(ky + RADIUS) * kSize + kx + RADIUS];
        output[row * width + col] = sum;
    }
}

int main()
{
    enum { WIDTH = 20, HEIGHT = 20, GRID = (WIDTH + TILE_WIDTH - 1) / TILE_WIDTH };
    static float host[WIDTH * HEIGHT], weights[9] = {0, 0.1f, 0, 0.1f, 0.6f, 0.1f, 0, 0.1f, 0};
    float *input, *output, *kernel;
    CHECK(cudaMalloc(&input, sizeof host));
    CHECK(cudaMalloc(&output, sizeof host));
    CHECK(cudaMalloc(&kernel, sizeof weights));
    CHECK(cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(kernel, weights, sizeof weights, cudaMemcpyHostToDevice));
    convolutionShared<<<dim3(GRID, GRID), dim3(TILE_WIDTH, TILE_WIDTH)>>>(input, output, kernel, WIDTH, HEIGHT, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, output, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(input));
    CHECK(cudaFree(output));
    CHECK(cudaFree(kernel));
    return 0;
}
