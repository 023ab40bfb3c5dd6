/* transpose_pad_ragged - the padded transpose in square blocks, of a matrix that they do not divide: the barrier stands in the
 * boundary test. (In square blocks [irow][icol] is the thread's own element: nothing is transposed by the tile, and nothing
 * is read that was not loaded.) */
// TOOL: all
// EXPECT: divergent-barrier|barrier-after-exit line @barrier
#include "check.h"

enum { BDIMX = 16, BDIMY = 16, IPAD = 1 };

__global__ void transposeSmemPad(float *out, const float *in, unsigned int nrows, unsigned int ncols)
{
    __shared__ float tile[BDIMY][BDIMX + IPAD];
    unsigned int row = blockDim.y * blockIdx.y + threadIdx.y, col = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y, icol = bidx % blockDim.y;
    if (row < nrows && col < ncols) {
        tile[threadIdx.y][threadIdx.x] = in[row * ncols + col];
        __syncthreads();                           // @barrier
        out[col * nrows + row] = tile[irow][icol]; // @read
    }
}

int main()
{
    enum { ROWS = 40, COLS = 24 };
    static float host[ROWS * COLS];
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    transposeSmemPad<<<dim3((COLS + BDIMX - 1) / BDIMX, (ROWS + BDIMY - 1) / BDIMY), dim3(BDIMX, BDIMY)>>>(out, in,
                                                                                                           ROWS, COLS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
