/* output_written_twice - blocks of two dimensions, and an index that forgets one: all rows of a block write the same
 * elements. */
// TOOL: writecheck
// EXPECT: output-written-twice line @write
#include "check.h"

__global__ void gradient(float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[blockIdx.y * width + x] = 0.5f * x + y; // @write
}

int main()
{
    enum { WIDTH = 50, HEIGHT = 16 };
    static float host[HEIGHT][WIDTH];
    float *out;
    CHECK(cudaMalloc(&out, sizeof host));
    gradient<<<dim3((WIDTH + 15) / 16, HEIGHT / 4), dim3(16, 4)>>>(out, WIDTH, HEIGHT);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, HEIGHT / 4 * sizeof host[0], cudaMemcpyDeviceToHost)); // the rest is empty?
    CHECK(cudaFree(out));
    return 0;
}
