/* surface_stores.cu - stores to surfaces of two dimensions by where a warp's lanes look: along a row, down a column, in tiles, at
 * random. `surface_stores SIDE` runs all up to that many texels a side (4096). */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                  \
    do {                                                                                                               \
        cudaError_t e = (call);                                                                                       \
        if (e != cudaSuccess) {                                                                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum where { ROW, COLUMN, TILE, RANDOM };

template <typename T> __device__ T value(int k);
template <> __device__ unsigned char value(int k) { return (unsigned char)k; }
template <> __device__ float value(int k) { return (float)k; }
template <> __device__ float4 value(int k) { return make_float4(k, k, k, k); }

template <typename T, int WHERE> __global__ void store(cudaSurfaceObject_t s, int size)
{
    const int lane = threadIdx.x, warp = blockIdx.x * blockDim.y + threadIdx.y, across = size / 32;
    int x, y;
    if (WHERE == ROW) {
        x = warp % across * 32 + lane;
        y = warp / across;
    } else if (WHERE == COLUMN) {
        x = warp / across;
        y = warp % across * 32 + lane;
    } else if (WHERE == TILE) {
        x = warp % (size / 8) * 8 + lane % 8;
        y = warp / (size / 8) * 4 + lane / 8;
    } else {
        unsigned k = (unsigned)(warp * 32 + lane) * 2654435761u;
        k ^= k >> 15;
        k *= 2246822519u;
        x = (k >> 4) % size;
        y = (k >> 18) % size;
    }
    surf2Dwrite(value<T>(lane), s, x * (int)sizeof(T), y);
}

template <typename T> static void run(const char *name, int size)
{
    cudaArray_t array;
    const cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    CHECK(cudaMallocArray(&array, &d, size, size, cudaArraySurfaceLoadStore));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    const dim3 block(32, 8);
    const int grid = size / 32 * size / 8;
    store<T, ROW><<<grid, block>>>(s, size);
    store<T, COLUMN><<<grid, block>>>(s, size);
    store<T, TILE><<<grid, block>>>(s, size);
    store<T, RANDOM><<<grid, block>>>(s, size);
    CHECK(cudaDeviceSynchronize());
    fprintf(stderr, "%s %d: 4 launches\n", name, size);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 4096;
    for (int size = 512; size <= most; size *= 2) {
        run<unsigned char>("u8", size);
        run<float>("f32", size);
        run<float4>("f32x4", size);
    }
    return 0;
}
