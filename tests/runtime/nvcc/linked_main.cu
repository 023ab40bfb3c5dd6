// linked_main.cu - separate compilation (-rdc=true): functions and variables of another file, and a kernel that
// launches kernels.
#include <cstdio>

extern __device__ int scale(int x);
extern __device__ int total;
extern __constant__ int factor;
static __device__ int mine = 11; // linked_part.cu has one of the same name
extern int part_mine();

__global__ void leaf(int *out, int v)
{
    out[threadIdx.x] += v;
}

__global__ void across(int *out)
{
    out[threadIdx.x] = scale(threadIdx.x) * factor + mine;
    atomicAdd(&total, 1);
}

__global__ void parent(int *out)
{
    leaf<<<1, 4>>>(out, 1000);
}

int main()
{
    int *d, h[4], sum = 0, f = 0;
    cudaMalloc(&d, sizeof h);
    across<<<1, 4>>>(d);
    parent<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    cudaMemcpyFromSymbol(&f, factor, sizeof f);
    const bool ok = h[0] == 1011 && h[3] == 3 * 10 * 3 + 1011 && sum == 104 && f == 3 && part_mine() == 50 &&
                    cudaDeviceSynchronize() == cudaSuccess;
    if (!ok)
        printf("%d %d %d %d %d: %s\n", h[0], h[3], sum, f, part_mine(), cudaGetErrorName(cudaGetLastError()));
    else
        printf("ok\n");
    return !ok;
}
