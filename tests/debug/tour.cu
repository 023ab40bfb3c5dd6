// tour.cu - kernels that the debugger's sessions walk through: `tour NAME`.
#include <cstdio>
#include <cstring>

struct point {
    float x, y;
    int id[2];
};

__device__ inline float square(float x)
{
    float result = x * x;
    return result;
}

// The first kernel of every course, with a loop.
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float product = a * x[i];
        y[i] = product + y[i];
    }
}

__global__ void norms(const point *points, float *out)
{
    point p = points[threadIdx.x];
    float sum = square(p.x) + square(p.y);
    p.id[1] = threadIdx.x * 10;
    out[threadIdx.x] = sum + p.id[1] * 0;
}

// A histogram that forgets to be atomic: which store was it?
__global__ void histogram(const int *keys, int *bins)
{
    int key = keys[threadIdx.x];
    int old = bins[key];
    __syncthreads();
    bins[key] = old + 1;
}

// Block 0 writes behind the end of its row, into what is block 1's.
__global__ void rows(int *matrix)
{
    int *row = matrix + blockIdx.x * 8;
    if (threadIdx.x <= 8)
        row[threadIdx.x] = 100 * (blockIdx.x + 1) + threadIdx.x;
}

__global__ void child(int *out)
{
    out[threadIdx.x] += 1;
}

__global__ void parent(int *out)
{
    out[threadIdx.x] = threadIdx.x;
#ifdef CHILD // nvcc wants -rdc=true for it
    if (threadIdx.x == 0)
        child<<<1, 32>>>(out);
#endif
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    float host[256];
    int keys[32], *ints;
    float *x, *y;
    point points[32], *device_points;
    for (int k = 0; k < 256; k++)
        host[k] = (float)k;
    for (int k = 0; k < 32; k++) {
        keys[k] = k % 4;
        points[k] = {(float)k, 2.0f, {k, 0}};
    }
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMalloc(&ints, sizeof host);
    cudaMalloc(&device_points, sizeof points);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(device_points, points, sizeof points, cudaMemcpyHostToDevice);
    cudaMemset(ints, 0, sizeof host);
    if (!strcmp(name, "saxpy"))
        saxpy<<<2, 32>>>(100, 2.0f, x, y);
    else if (!strcmp(name, "norms"))
        norms<<<1, 32>>>(device_points, y);
    else if (!strcmp(name, "histogram")) {
        int *device_keys;
        cudaMalloc(&device_keys, sizeof keys);
        cudaMemcpy(device_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
        histogram<<<1, 32>>>(device_keys, ints);
    } else if (!strcmp(name, "rows"))
        rows<<<2, 32>>>(ints);
    else if (!strcmp(name, "parent"))
        parent<<<1, 32>>>(ints);
    float result[256];
    int counts[64];
    cudaMemcpy(result, y, sizeof result, cudaMemcpyDeviceToHost);
    const cudaError_t e = cudaMemcpy(counts, ints, sizeof counts, cudaMemcpyDeviceToHost);
    printf("%s: %s, %g, %d\n", name, cudaGetErrorName(e), result[3], counts[8]);
    return e != cudaSuccess;
}
