/* checkSmemRectangle - a tile of 16 rows of 32 words, one block of 32 x 16 threads.
 *
 * The transposed tile has rows of 16 words: every second row begins at the same bank, 16 lanes meet on one, 15
 * conflicts a warp (16-way, not 2-way), 240 a kernel. 16 rows need a pad of 2 words; with one, 16 remain.
 *
 * (Tutorial "Shared memory and constant memory", 5.2.2.) */
#include "common.h"

#define BDIMX 32
#define BDIMY 16
#define IPAD 2

__global__ void setRowReadRow(int *out)
{
    __shared__ int tile[BDIMY][BDIMX];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.y][threadIdx.x];
}

__global__ void setColReadCol(int *out)
{
    __shared__ int tile[BDIMX][BDIMY];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.x][threadIdx.y] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void setColReadCol2(int *out)
{
    __shared__ int tile[BDIMY][BDIMX];

    // the thread's place in the transposed tile
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    tile[icol][irow] = idx;
    __syncthreads();
    out[idx] = tile[icol][irow];
}

__global__ void setRowReadCol(int *out)
{
    __shared__ int tile[BDIMY][BDIMX];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[icol][irow];
}

__global__ void setRowReadColDyn(int *out)
{
    extern __shared__ int tile[];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;
    unsigned int col_idx = icol * blockDim.x + irow;

    tile[idx] = idx;
    __syncthreads();
    out[idx] = tile[col_idx];
}

__global__ void setRowReadColPad(int *out)
{
    __shared__ int tile[BDIMY][BDIMX + IPAD];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = idx / blockDim.y;
    unsigned int icol = idx % blockDim.y;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[icol][irow];
}

__global__ void setRowReadColDynPad(int *out)
{
    extern __shared__ int tile[];
    unsigned int g_idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = g_idx / blockDim.y;
    unsigned int icol = g_idx % blockDim.y;

    // rows of blockDim.x + IPAD words
    unsigned int row_idx = threadIdx.y * (blockDim.x + IPAD) + threadIdx.x;
    unsigned int col_idx = icol * (blockDim.x + IPAD) + irow;

    tile[row_idx] = g_idx;
    __syncthreads();
    out[g_idx] = tile[col_idx];
}

static int host[BDIMX * BDIMY];

/* The index itself, or that of the transposed tile. */
static int check(const char *name, const int *device, int transposed)
{
    int bad = 0;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BDIMX * BDIMY; i++)
        bad += host[i] != (transposed ? i % BDIMY * BDIMX + i / BDIMY : i);
    return say(name, bad == 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    print_device(argv[0]);
    dim3 block(BDIMX, BDIMY);
    dim3 grid(1, 1);
    printf(" with Bank Mode:4-Byte <<< grid (%d,%d) block (%d,%d)>>>\n", grid.x, grid.y, block.x, block.y);

    int *d_C, right = 1;
    CHECK(cudaMalloc(&d_C, sizeof host));

    setRowReadRow<<<grid, block>>>(d_C);
    right &= check("setRowReadRow", d_C, 0);
    setColReadCol<<<grid, block>>>(d_C);
    right &= check("setColReadCol", d_C, 0);
    setColReadCol2<<<grid, block>>>(d_C);
    right &= check("setColReadCol2", d_C, 0);
    setRowReadCol<<<grid, block>>>(d_C);
    right &= check("setRowReadCol", d_C, 1);
    setRowReadColDyn<<<grid, block, BDIMX * BDIMY * sizeof(int)>>>(d_C);
    right &= check("setRowReadColDyn", d_C, 1);
    setRowReadColPad<<<grid, block>>>(d_C);
    right &= check("setRowReadColPad", d_C, 1);
    setRowReadColDynPad<<<grid, block, (BDIMX + IPAD) * BDIMY * sizeof(int)>>>(d_C);
    right &= check("setRowReadColDynPad", d_C, 1);

    CHECK(cudaFree(d_C));
    return !right;
}
