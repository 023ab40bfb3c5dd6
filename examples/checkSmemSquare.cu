/* checkSmemSquare - a square tile in shared memory, written and read by rows and by columns, static, dynamic, padded.
 *
 * One block of 32 x 32 threads. A column of a tile of 32 words a row lies in one bank: 31 conflicts a warp, 992 a
 * kernel. A pad of one word a row moves the rows apart.
 *
 * (Tutorial "Shared memory and constant memory", 5.2.1.) */
#include "common.h"

#define BDIMX 32
#define BDIMY 32
#define IPAD 1

__global__ void setColReadCol(int *out)
{
    // static shared memory
    __shared__ int tile[BDIMX][BDIMY];

    // mapping from thread index to global memory index
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    // shared memory store, down a column
    tile[threadIdx.x][threadIdx.y] = idx;

    // every thread of the block has stored
    __syncthreads();

    // shared memory load, down a column
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void setRowReadRow(int *out)
{
    __shared__ int tile[BDIMY][BDIMX];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.y][threadIdx.x];
}

__global__ void setRowReadCol(int *out)
{
    __shared__ int tile[BDIMY][BDIMX];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void setRowReadColDyn(int *out)
{
    // dynamic shared memory: the launch says how much
    extern __shared__ int tile[];

    // word of the tile, by row and by column
    unsigned int row_idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int col_idx = threadIdx.x * blockDim.y + threadIdx.y;

    tile[row_idx] = row_idx;
    __syncthreads();
    out[row_idx] = tile[col_idx];
}

__global__ void setRowReadColPad(int *out)
{
    __shared__ int tile[BDIMY][BDIMX + IPAD];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void setRowReadColDynPad(int *out)
{
    extern __shared__ int tile[];

    // rows of blockDim.x + IPAD words
    unsigned int row_idx = threadIdx.y * (blockDim.x + IPAD) + threadIdx.x;
    unsigned int col_idx = threadIdx.x * (blockDim.x + IPAD) + threadIdx.y;
    unsigned int g_idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[row_idx] = g_idx;
    __syncthreads();
    out[g_idx] = tile[col_idx];
}

static int host[BDIMX * BDIMY];

/* By rows in and by rows out, or by columns both times, gives the index itself; else the transposed one. */
static int check(const char *name, const int *device, int transposed)
{
    int bad = 0;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int y = 0; y < BDIMY; y++)
        for (int x = 0; x < BDIMX; x++)
            bad += host[y * BDIMX + x] != (transposed ? x * BDIMX + y : y * BDIMX + x);
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

    setColReadCol<<<grid, block>>>(d_C);
    right &= check("setColReadCol", d_C, 0);
    setRowReadRow<<<grid, block>>>(d_C);
    right &= check("setRowReadRow", d_C, 0);
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
