/* transposeRectangle [ROWS COLUMNS] - a matrix of floats (4096 x 4096) is transposed in blocks of 16 x 16 threads.
 *
 * The naive kernel's stores go down a column: 16 sectors a request instead of 4. In shared memory a tile is turned, and
 * both directions are 4; then reading the tile's columns meets at banks, until its rows are padded by two words.
 * Blocks change places, and so do the threads in a block: with only one of the two the result is right for square
 * blocks alone, or not at all.
 *
 * (Tutorial "Shared memory and constant memory", 5.4.) */
#include "common.h"

#define BDIMX 16
#define BDIMY 16
#define IPAD 2
#define INDEX(ROW, COL, INNER) ((ROW) * (INNER) + (COL))

/* The upper bound: as many bytes, none of them moved. */
__global__ void copyGmem(float *out, float *in, const int nrows, const int ncols)
{
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < nrows && col < ncols) out[INDEX(row, col, ncols)] = in[INDEX(row, col, ncols)];
}

/* The lower bound. */
__global__ void naiveGmem(float *out, float *in, const int nrows, const int ncols)
{
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < nrows && col < ncols) out[INDEX(col, row, nrows)] = in[INDEX(row, col, ncols)];
}

__global__ void naiveGmemUnroll(float *out, float *in, const int nrows, const int ncols)
{
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col2 = col + blockDim.x;

    if (row < nrows && col < ncols) out[INDEX(col, row, nrows)] = in[INDEX(row, col, ncols)];
    if (row < nrows && col2 < ncols) out[INDEX(col2, row, nrows)] = in[INDEX(row, col2, ncols)];
}

__global__ void transposeSmem(float *out, float *in, int nrows, int ncols)
{
    // static shared memory
    __shared__ float tile[BDIMY][BDIMX];

    // coordinate in original matrix
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    // load data from global memory to shared memory, along a row
    if (row < nrows && col < ncols) tile[threadIdx.y][threadIdx.x] = in[INDEX(row, col, ncols)];

    // thread index in transposed block
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;

    // coordinate in transposed matrix: blocks change places, and neighbours in a warp write neighbours
    unsigned int trow = blockIdx.x * blockDim.x + irow;
    unsigned int tcol = blockIdx.y * blockDim.y + icol;

    // every thread of the block has stored; outside of any branch, so that all of them arrive
    __syncthreads();

    // store data to global memory from shared memory, along a row of the transposed matrix
    if (trow < ncols && tcol < nrows) out[INDEX(trow, tcol, nrows)] = tile[icol][irow];
}

__global__ void transposeSmemPad(float *out, float *in, int nrows, int ncols)
{
    // static shared memory with padding
    __shared__ float tile[BDIMY][BDIMX + IPAD];
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < nrows && col < ncols) tile[threadIdx.y][threadIdx.x] = in[INDEX(row, col, ncols)];

    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;
    unsigned int trow = blockIdx.x * blockDim.x + irow;
    unsigned int tcol = blockIdx.y * blockDim.y + icol;

    __syncthreads();

    if (trow < ncols && tcol < nrows) out[INDEX(trow, tcol, nrows)] = tile[icol][irow];
}

/* Dynamic shared memory, rows of `width` words. */
__device__ __forceinline__ void transpose_dynamic(float *out, float *in, int nrows, int ncols, unsigned int width)
{
    extern __shared__ float tile[];
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < nrows && col < ncols) tile[INDEX(threadIdx.y, threadIdx.x, width)] = in[INDEX(row, col, ncols)];

    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;
    unsigned int trow = blockIdx.x * blockDim.x + irow;
    unsigned int tcol = blockIdx.y * blockDim.y + icol;

    __syncthreads();

    if (trow < ncols && tcol < nrows) out[INDEX(trow, tcol, nrows)] = tile[INDEX(icol, irow, width)];
}

__global__ void transposeSmemDyn(float *out, float *in, int nrows, int ncols)
{
    transpose_dynamic(out, in, nrows, ncols, blockDim.x);
}

__global__ void transposeSmemPadDyn(float *out, float *in, int nrows, int ncols)
{
    transpose_dynamic(out, in, nrows, ncols, blockDim.x + IPAD);
}

/* Two neighbouring blocks of the matrix a block; `tile` has rows of `width` words. */
__device__ __forceinline__ void transpose_two(float *tile, unsigned int width, float *out, float *in, int nrows,
                                              int ncols)
{
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int col2 = col + blockDim.x;

    if (row < nrows && col < ncols) tile[INDEX(threadIdx.y, threadIdx.x, width)] = in[INDEX(row, col, ncols)];
    if (row < nrows && col2 < ncols)
        tile[INDEX(threadIdx.y, blockDim.x + threadIdx.x, width)] = in[INDEX(row, col2, ncols)];

    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;
    unsigned int trow = 2 * blockIdx.x * blockDim.x + irow;
    unsigned int trow2 = trow + blockDim.x;
    unsigned int tcol = blockIdx.y * blockDim.y + icol;

    __syncthreads();

    if (trow < ncols && tcol < nrows) out[INDEX(trow, tcol, nrows)] = tile[INDEX(icol, irow, width)];
    if (trow2 < ncols && tcol < nrows)
        out[INDEX(trow2, tcol, nrows)] = tile[INDEX(icol, blockDim.x + irow, width)];
}

__global__ void transposeSmemUnroll(float *out, float *in, const int nrows, const int ncols)
{
    __shared__ float tile[BDIMY * BDIMX * 2];
    transpose_two(tile, BDIMX * 2, out, in, nrows, ncols);
}

__global__ void transposeSmemUnrollPad(float *out, float *in, const int nrows, const int ncols)
{
    __shared__ float tile[BDIMY * (BDIMX * 2 + IPAD)];
    transpose_two(tile, BDIMX * 2 + IPAD, out, in, nrows, ncols);
}

__global__ void transposeSmemUnrollPadDyn(float *out, float *in, const int nrows, const int ncols)
{
    extern __shared__ float tile[];
    transpose_two(tile, BDIMX * 2 + IPAD, out, in, nrows, ncols);
}

typedef void (*kernel)(float *, float *, int, int);

static const struct {
    const char *name;
    kernel run;
    int blocks_wide, dynamic_width; // blocks of the matrix a block; words a row of dynamic shared memory
} kernels[] = {
    {"copyGmem", copyGmem, 1, 0},
    {"naiveGmem", naiveGmem, 1, 0},
    {"naiveGmemUnroll", naiveGmemUnroll, 2, 0},
    {"transposeSmem", transposeSmem, 1, 0},
    {"transposeSmemPad", transposeSmemPad, 1, 0},
    {"transposeSmemDyn", transposeSmemDyn, 1, BDIMX},
    {"transposeSmemPadDyn", transposeSmemPadDyn, 1, BDIMX + IPAD},
    {"transposeSmemUnroll", transposeSmemUnroll, 2, 0},
    {"transposeSmemUnrollPad", transposeSmemUnrollPad, 2, 0},
    {"transposeSmemUnrollPadDyn", transposeSmemUnrollPadDyn, 2, BDIMX * 2 + IPAD},
};

static int count_wrong(const float *in, const float *out, int nrows, int ncols, int transposed)
{
    int bad = 0;
    for (int row = 0; row < nrows; row++)
        for (int col = 0; col < ncols; col++)
            bad += out[transposed ? INDEX(col, row, nrows) : INDEX(row, col, ncols)] != in[INDEX(row, col, ncols)];
    return bad;
}

int main(int argc, char **argv)
{
    int nrows = argument(argc, argv, 1, 4096), ncols = argument(argc, argv, 2, nrows), right = 1;
    size_t bytes = (size_t)nrows * ncols * sizeof(float);
    print_device(argv[0]);
    printf(" with matrix nx %d ny %d, block (%d,%d)\n", ncols, nrows, BDIMX, BDIMY);

    float *h_A = (float *)malloc(bytes), *gpuRef = (float *)malloc(bytes), *d_A, *d_C;
    for (int i = 0; i < nrows * ncols; i++)
        h_A[i] = (float)i; // exact up to 2^24
    CHECK(cudaMalloc(&d_A, bytes));
    CHECK(cudaMalloc(&d_C, bytes));
    CHECK(cudaMemcpy(d_A, h_A, bytes, cudaMemcpyHostToDevice));

    dim3 block(BDIMX, BDIMY);
    for (const auto &k : kernels) {
        dim3 grid((ncols + BDIMX * k.blocks_wide - 1) / (BDIMX * k.blocks_wide), (nrows + BDIMY - 1) / BDIMY);
        CHECK(cudaMemset(d_C, 0xff, bytes));
        k.run<<<grid, block, k.dynamic_width * BDIMY * sizeof(float)>>>(d_C, d_A, nrows, ncols);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(gpuRef, d_C, bytes, cudaMemcpyDeviceToHost));
        right &= say(k.name, count_wrong(h_A, gpuRef, nrows, ncols, k.run != copyGmem) == 0);
    }
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_C));
    free(h_A);
    free(gpuRef);
    return !right;
}
