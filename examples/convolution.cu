/* convolution [WIDTH HEIGHT KSIZE] - an image (200 x 120) and a square filter (3), edges repeated: each pixel from
 * global memory, and a tile with its halo, all four sides and the corners, in shared memory.
 *
 * (Tutorial "Optimisation strategies", 3.3.) */
#include "common.h"

#define TILE_WIDTH 16

__global__ void convolution(const float *input, float *output, const float *kernel, int width, int height, int kSize)
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
                int ix = min(max(x + kx, 0), width - 1);
                int iy = min(max(y + ky, 0), height - 1);
                sum += input[iy * width + ix] * kernel[(ky + half) * kSize + (kx + half)];
            }
        }
        output[y * width + x] = sum;
    }
}

__global__ void convolutionShared(const float *input, float *output, const float *kernel, int width, int height,
                                  int kSize)
{
    // (TILE_WIDTH + kSize - 1) squared pixels, row by row
    extern __shared__ float sharedInput[];
    int side = TILE_WIDTH + kSize - 1, half = kSize / 2;
    int left = blockIdx.x * TILE_WIDTH, top = blockIdx.y * TILE_WIDTH;

    // all threads load the tile, corners and all; behind the border lies the border's pixel again
    for (int ty = threadIdx.y; ty < side; ty += TILE_WIDTH)
    {
        for (int tx = threadIdx.x; tx < side; tx += TILE_WIDTH)
        {
            int ix = min(max(left + tx - half, 0), width - 1);
            int iy = min(max(top + ty - half, 0), height - 1);
            sharedInput[ty * side + tx] = input[iy * width + ix];
        }
    }
    __syncthreads();

    int col = left + threadIdx.x, row = top + threadIdx.y;
    if (row < height && col < width)
    {
        float sum = 0.0f;
        for (int ky = 0; ky < kSize; ++ky)
            for (int kx = 0; kx < kSize; ++kx)
                sum += sharedInput[(threadIdx.y + ky) * side + threadIdx.x + kx] * kernel[ky * kSize + kx];
        output[row * width + col] = sum;
    }
}

/* Whole numbers: every sum is exact. */
static int count_wrong(const float *in, const float *out, const float *k, int width, int height, int size)
{
    int bad = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (int ky = 0; ky < size; ky++)
                for (int kx = 0; kx < size; kx++) {
                    int ix = x + kx - size / 2, iy = y + ky - size / 2;
                    ix = ix < 0 ? 0 : ix >= width ? width - 1 : ix;
                    iy = iy < 0 ? 0 : iy >= height ? height - 1 : iy;
                    sum += in[iy * width + ix] * k[ky * size + kx];
                }
            bad += out[y * width + x] != sum;
        }
    return bad;
}

int main(int argc, char **argv)
{
    int width = argument(argc, argv, 1, 200), height = argument(argc, argv, 2, 120), size = argument(argc, argv, 3, 3);
    int pixels = width * height, side = TILE_WIDTH + size - 1, right = 1;
    print_device(argv[0]);
    printf(", image %d x %d, filter %d x %d\n", width, height, size, size);
    float *in = (float *)malloc(pixels * sizeof *in), *out = (float *)malloc(pixels * sizeof *out);
    float *k = (float *)malloc(size * size * sizeof *k), *d_in, *d_out, *d_k;
    for (int i = 0; i < pixels; i++)
        in[i] = (float)number(i);
    for (int i = 0; i < size * size; i++)
        k[i] = (float)(number(i) % 7 - 3);
    CHECK(cudaMalloc(&d_in, pixels * sizeof *in));
    CHECK(cudaMalloc(&d_out, pixels * sizeof *in));
    CHECK(cudaMalloc(&d_k, size * size * sizeof *k));
    CHECK(cudaMemcpy(d_in, in, pixels * sizeof *in, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_k, k, size * size * sizeof *k, cudaMemcpyHostToDevice));
    dim3 block(TILE_WIDTH, TILE_WIDTH);
    dim3 grid((width + TILE_WIDTH - 1) / TILE_WIDTH, (height + TILE_WIDTH - 1) / TILE_WIDTH);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMemset(d_out, 0xff, pixels * sizeof *out));
        if (i == 0)
            convolution<<<grid, block>>>(d_in, d_out, d_k, width, height, size);
        else
            convolutionShared<<<grid, block, side * side * sizeof(float)>>>(d_in, d_out, d_k, width, height, size);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out, d_out, pixels * sizeof *out, cudaMemcpyDeviceToHost));
        right &= say(i == 0 ? "convolution" : "convolutionShared", count_wrong(in, out, k, width, height, size) == 0);
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_k));
    free(in);
    free(out);
    free(k);
    return !right;
}
