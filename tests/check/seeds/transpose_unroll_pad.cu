/* transpose_unroll_pad - the unrolled padded transpose, two tiles a block of 32 x 16: the same read of rows that the
 * tile does not have, here in dynamic shared memory. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: out-of-bounds line @first
// EXPECT: out-of-bounds line @second
// ALSO: uninitialized-shared
#include "check.h"

enum { BDIMX = 32, BDIMY = 16, IPAD = 1, WIDTH = 2 * BDIMX + IPAD };

__global__ void transposeSmemUnrollPadDyn(float *out, const float *in, unsigned int nrows, unsigned int ncols)
{
    extern __shared__ float tile[];
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = 2 * blockIdx.x * blockDim.x + threadIdx.x, col2 = col + blockDim.x;
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y, icol = bidx % blockDim.y;
    if (row < nrows && col < ncols)
        tile[threadIdx.y * WIDTH + threadIdx.x] = in[row * ncols + col];
    if (row < nrows && col2 < ncols)
        tile[threadIdx.y * WIDTH + blockDim.x + threadIdx.x] = in[row * ncols + col2];
    __syncthreads();
    if (row < nrows && col < ncols)
        out[col * nrows + row] = tile[irow * WIDTH + icol]; // @first
    if (row < nrows && col2 < ncols)
        out[col2 * nrows + row] = tile[irow * WIDTH + blockDim.x + icol]; // @second
}

int main()
{
    enum { ROWS = 32, COLS = 128 };
    static float host[ROWS * COLS];
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    transposeSmemUnrollPadDyn<<<dim3(COLS / BDIMX / 2, ROWS / BDIMY), dim3(BDIMX, BDIMY),
                                BDIMY * WIDTH * sizeof(float)>>>(out, in, ROWS, COLS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
