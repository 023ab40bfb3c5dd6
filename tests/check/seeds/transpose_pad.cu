/* transpose_pad - the padded transpose in the blocks of 32 x 16 that the text speaks of: the read [irow][icol] goes to
 * row 31 of a tile of 16 rows. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: out-of-bounds line @read
// ALSO: uninitialized-shared output-written-twice unwritten-output
#include "check.h"

enum { BDIMX = 32, BDIMY = 16, IPAD = 1 };

__global__ void transposeSmemPad(float *out, const float *in, unsigned int nrows, unsigned int ncols)
{
    __shared__ float tile[BDIMY][BDIMX + IPAD];
    unsigned int row = blockDim.y * blockIdx.y + threadIdx.y, col = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y, icol = bidx % blockDim.y;
    if (row < nrows && col < ncols) {
        tile[threadIdx.y][threadIdx.x] = in[row * ncols + col];
        __syncthreads();
        out[col * nrows + row] = tile[irow][icol]; // @read
    }
}

int main()
{
    enum { ROWS = 32, COLS = 64 };
    static float host[ROWS * COLS];
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    transposeSmemPad<<<dim3(COLS / BDIMX, ROWS / BDIMY), dim3(BDIMX, BDIMY)>>>(out, in, ROWS, COLS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
