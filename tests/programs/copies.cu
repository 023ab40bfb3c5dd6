/* copies - every shape of copy and fill: rows with a pitch, volumes, arrays, symbols, overlapping directions. */
#include <cuda_runtime.h>

#include "program.h"

enum { WIDTH = 37, HEIGHT = 11, DEPTH = 5 };

__constant__ int constants[16];

__global__ void read_constants(int *out)
{
    out[threadIdx.x] = constants[threadIdx.x];
}

__global__ void add_rows(char *base, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        ((int *)(base + y * pitch))[x] += 1000;
}

static void pitched(void)
{
    static int host[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            host[y][x] = y * 100 + x;
    char *device;
    size_t pitch = 0, row = sizeof host[0];
    CHECK(cudaMallocPitch(&device, &pitch, row, HEIGHT));
    verdict(pitch >= row && pitch % 32 == 0, "the pitch is a row or more");
    CHECK(cudaMemcpy2D(device, pitch, host, row, row, HEIGHT, cudaMemcpyHostToDevice));
    add_rows<<<dim3(2, 2), dim3(32, 8)>>>(device, pitch, WIDTH, HEIGHT);
    CHECK(cudaMemcpy2D(back, row, device, pitch, row, HEIGHT, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            bad += back[y][x] != host[y][x] + 1000;
    verdict(bad == 0, "rows with a pitch");
    // a rectangle of 5 x 3 words inside, from column 4 of row 0
    CHECK(cudaMemset2D(device + 4 * sizeof(int), pitch, 0xff, 5 * sizeof(int), 3));
    CHECK(cudaMemcpy2D(back, row, device, pitch, row, HEIGHT, cudaMemcpyDefault));
    verdict(back[2][8] == -1 && back[2][9] == host[2][9] + 1000 && back[3][8] == host[3][8] + 1000 &&
                back[0][3] == host[0][3] + 1000,
            "a rectangle is filled, its surroundings are not");
    CHECK(cudaFree(device));
}

static void volume(void)
{
    static float host[DEPTH][HEIGHT][WIDTH], back[DEPTH][HEIGHT][WIDTH];
    for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
        host[0][0][i] = (float)i;
    cudaPitchedPtr device;
    cudaExtent all = make_cudaExtent(WIDTH * sizeof(float), HEIGHT, DEPTH);
    CHECK(cudaMalloc3D(&device, all));
    CHECK(cudaMemset3D(device, 0, all));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(host, WIDTH * sizeof(float), WIDTH, HEIGHT);
    p.dstPtr = device;
    p.extent = all;
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    // back: a box of 7 x 4 x 2 from (3, 2, 1) to the origin
    memset(&p, 0, sizeof p);
    p.srcPtr = device;
    p.srcPos = make_cudaPos(3 * sizeof(float), 2, 1);
    p.dstPtr = make_cudaPitchedPtr(back, WIDTH * sizeof(float), WIDTH, HEIGHT);
    p.extent = make_cudaExtent(7 * sizeof(float), 4, 2);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
    int bad = 0;
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 7; x++)
                bad += back[z][y][x] != host[z + 1][y + 2][x + 3];
    verdict(bad == 0 && back[0][0][7] == 0 && back[2][0][0] == 0, "a box out of a volume");
    CHECK(cudaFree(device.ptr));
}

static void arrays(void)
{
    static float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        host[0][i] = (float)i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), found;
    cudaExtent extent;
    unsigned int flags;
    cudaArray_t array, other;
    size_t row = sizeof host[0];
    CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&other, &format, WIDTH, HEIGHT));
    CHECK(cudaArrayGetInfo(&found, &extent, &flags, array));
    verdict(found.x == 32 && found.y == 0 && found.f == cudaChannelFormatKindFloat && extent.width == WIDTH &&
                extent.height == HEIGHT,
            "what an array is");
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, row, row, HEIGHT, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DFromArray(back, row, other, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost));
    verdict(memcmp(host, back, sizeof host) == 0, "into an array, to another, and back");
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(other));
}

static void fills(void)
{
    unsigned char host[64];
    unsigned char *device;
    CHECK(cudaMalloc(&device, 64));
    CHECK(cudaMemset(device, 0x11, 64));
    CHECK(cudaMemset(device + 3, 0x22, 7));
    CHECK(cudaMemcpy(device + 32, device, 16, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(host, device, 64, cudaMemcpyDefault));
    verdict(host[2] == 0x11 && host[3] == 0x22 && host[9] == 0x22 && host[10] == 0x11 && host[34] == 0x11 &&
                host[35] == 0x22 && host[48] == 0x11,
            "bytes set and copied on the device");
    CHECK(cudaFree(device));
}

static void symbols(void)
{
    int values[16], back[16], *device;
    for (int i = 0; i < 16; i++)
        values[i] = i * i;
    CHECK(cudaMalloc(&device, sizeof back));
    CHECK(cudaMemcpyToSymbol(constants, values, sizeof values));
    read_constants<<<1, 16>>>(device);
    CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
    verdict(memcmp(values, back, sizeof back) == 0, "constant memory");
    int seven = 7;
    CHECK(cudaMemcpyToSymbolAsync(constants, &seven, sizeof seven, 5 * sizeof(int), cudaMemcpyHostToDevice, 0));
    read_constants<<<1, 16>>>(device);
    CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
    verdict(back[4] == 16 && back[5] == 7 && back[6] == 36, "a word of constant memory, between two launches");
    CHECK(cudaFree(device));
}

int main()
{
    pitched();
    volume();
    arrays();
    fills();
    symbols();
    return failures;
}
