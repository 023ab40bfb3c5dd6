// tutorials.cu - the kernels of every course, each with a mistake, for the debugger's sessions: `tutorials NAME`.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

// The last step, of two cells, is left out.
__global__ void reduce(const int *in, int *out)
{
    __shared__ int cell[64];
    int t = threadIdx.x;
    cell[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int half = 32; half > 1; half /= 2) {
        if (t < half)
            cell[t] += cell[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = cell[0];
}

// Blocks do not change places.
__global__ void transpose(const int *in, int *out)
{
    __shared__ int tile[8][8];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 16 + x];
    __syncthreads();
    out[y * 16 + x] = tile[threadIdx.x][threadIdx.y];
}

// No barrier behind the sum: a fast warp fills the tile for a slow one.
__global__ void product(const int *a, const int *b, int *c)
{
    __shared__ int left[8][8], right[8][8];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int t = 0; t < 2; t++) {
        left[y][x] = a[y * 16 + t * 8 + x];
        right[y][x] = b[(t * 8 + y) * 8 + x];
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += left[y][k] * right[k][x];
    }
    c[y * 8 + x] = sum;
}

__device__ int total;

__global__ void whole(int *out)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    atomicAdd(&total, threadIdx.x + 1);
    grid.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

__global__ void again(int *out, int by)
{
    int old = out[threadIdx.x];
    out[threadIdx.x] = old * 2 + by;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const bool forks = !strcmp(name, "fork");
    if (forks && fork() > 0) { // the child computes
        int status = 1;
        wait(&status);
        return status != 0;
    }
    int host[256], *in, *out;
    for (int k = 0; k < 256; k++)
        host[k] = k % 16 + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    if (!strcmp(name, "reduce"))
        reduce<<<2, 64>>>(in, out);
    else if (!strcmp(name, "transpose"))
        transpose<<<dim3(2, 2), dim3(8, 8)>>>(in, out);
    else if (!strcmp(name, "product"))
        product<<<1, dim3(8, 8)>>>(in, in, out);
    else if (!strcmp(name, "whole")) {
        void *arguments[] = {&out};
        cudaLaunchCooperativeKernel((void *)whole, dim3(2), dim3(32), arguments, 0, 0);
    } else {
        for (int k = 0; k < 4; k++)
            again<<<1, 32>>>(out, k);
    }
    const cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: %s, %d %d %d\n", name, cudaGetErrorName(e), host[0], host[1], host[9]);
    return e != cudaSuccess;
}
