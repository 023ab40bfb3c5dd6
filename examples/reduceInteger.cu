/* reduceInteger [N] - the sum of N whole numbers (2^22), in blocks of 128 threads, in global and in shared memory,
 * one and four elements a thread. Each kernel leaves a sum a block, which the host adds up.
 *
 * reduceGmem reads and writes global memory in every round; reduceSmem reads each number once and writes a word a
 * block. The last warp synchronises between its rounds: warps do not run in lockstep since Volta.
 *
 * (Tutorial "Shared memory and constant memory", 5.3.) */
#include "common.h"

#define DIM 128

/* The rounds of a block of up to 1024 threads, on data that its threads share: strides 512 .. 64 with a barrier each,
 * and the last warp alone, all of which reads before any of it writes. */
__device__ __forceinline__ void sum_block(volatile int *data, unsigned int tid)
{
    if (blockDim.x >= 1024 && tid < 512) data[tid] += data[tid + 512];
    __syncthreads();

    if (blockDim.x >= 512 && tid < 256) data[tid] += data[tid + 256];
    __syncthreads();

    if (blockDim.x >= 256 && tid < 128) data[tid] += data[tid + 128];
    __syncthreads();

    if (blockDim.x >= 128 && tid < 64) data[tid] += data[tid + 64];
    __syncthreads();

    // unrolling the last warp
    if (tid < 32)
    {
#pragma unroll
        for (unsigned int stride = 32; stride > 0; stride >>= 1)
        {
            int sum = data[tid] + data[tid + stride];
            __syncwarp();
            data[tid] = sum;
            __syncwarp();
        }
    }
}

/* Neighbours, in global memory: every round leaves half of the lanes idle. */
__global__ void reduceNeighboredGmem(int *g_idata, int *g_odata, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x;
    unsigned int left = n - blockIdx.x * blockDim.x;

    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2)
    {
        if (tid % (2 * stride) == 0 && tid + stride < left) idata[tid] += idata[tid + stride];
        __syncthreads();
    }

    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

/* The same in shared memory. */
__global__ void reduceNeighboredSmem(int *g_idata, int *g_odata, unsigned int n)
{
    __shared__ int smem[DIM];
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? g_idata[idx] : 0;
    __syncthreads();

    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2)
    {
        if (tid % (2 * stride) == 0) smem[tid] += smem[tid + stride];
        __syncthreads();
    }

    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

/* In place in global memory; needs whole blocks of data. */
__global__ void reduceGmem(int *g_idata, int *g_odata, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x;

    // the same for all threads of a block: nobody leaves in front of a barrier alone
    if ((blockIdx.x + 1) * blockDim.x > n) return;

    sum_block(idata, tid);

    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__global__ void reduceSmem(int *g_idata, int *g_odata, unsigned int n)
{
    __shared__ int smem[DIM];
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    // every thread fills its slot, with 0 behind the end of the data
    smem[tid] = idx < n ? g_idata[idx] : 0;
    __syncthreads();

    sum_block(smem, tid);

    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

__global__ void reduceSmemDyn(int *g_idata, int *g_odata, unsigned int n)
{
    extern __shared__ int smem[];
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? g_idata[idx] : 0;
    __syncthreads();

    sum_block(smem, tid);

    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

/* Four blocks of data a block: four independent loads a thread before the rounds. */
__device__ __forceinline__ int sum_four(const int *g_idata, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    int a1 = 0, a2 = 0, a3 = 0, a4 = 0;

    if (idx < n) a1 = g_idata[idx];
    if (idx + blockDim.x < n) a2 = g_idata[idx + blockDim.x];
    if (idx + 2 * blockDim.x < n) a3 = g_idata[idx + 2 * blockDim.x];
    if (idx + 3 * blockDim.x < n) a4 = g_idata[idx + 3 * blockDim.x];
    return a1 + a2 + a3 + a4;
}

__global__ void reduceGmemUnroll(int *g_idata, int *g_odata, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x * 4;

    if ((blockIdx.x * 4 + 1) * blockDim.x > n) return;

    idata[tid] = sum_four(g_idata, n);
    __syncthreads();

    sum_block(idata, tid);

    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__global__ void reduceSmemUnroll(int *g_idata, int *g_odata, unsigned int n)
{
    __shared__ int smem[DIM];
    unsigned int tid = threadIdx.x;

    smem[tid] = sum_four(g_idata, n);
    __syncthreads();

    sum_block(smem, tid);

    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

__global__ void reduceSmemUnrollDyn(int *g_idata, int *g_odata, unsigned int n)
{
    extern __shared__ int smem[];
    unsigned int tid = threadIdx.x;

    smem[tid] = sum_four(g_idata, n);
    __syncthreads();

    sum_block(smem, tid);

    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

typedef void (*kernel)(int *, int *, unsigned int);

static const struct {
    const char *name;
    kernel run;
    int per_thread, dynamic;
} kernels[] = {
    {"reduceNeighboredGmem", reduceNeighboredGmem, 1, 0},
    {"reduceNeighboredSmem", reduceNeighboredSmem, 1, 0},
    {"reduceGmem", reduceGmem, 1, 0},
    {"reduceSmem", reduceSmem, 1, 0},
    {"reduceSmemDyn", reduceSmemDyn, 1, 1},
    {"reduceGmemUnroll", reduceGmemUnroll, 4, 0},
    {"reduceSmemUnroll", reduceSmemUnroll, 4, 0},
    {"reduceSmemUnrollDyn", reduceSmemUnrollDyn, 4, 1},
};

int main(int argc, char **argv)
{
    unsigned int n = argument(argc, argv, 1, 1 << 22);
    unsigned int blocks = (n + DIM - 1) / DIM;
    size_t bytes = n * sizeof(int);
    if (n == 0 || n % (4 * DIM) || n > 1u << 24) {
        printf("N is a multiple of %d up to 2^24\n", 4 * DIM);
        return 2;
    }
    print_device(argv[0]);
    printf(", array size %u, grid %u block %d\n", n, blocks, DIM);

    int *h_idata = (int *)malloc(bytes), *h_odata = (int *)malloc(blocks * sizeof(int)), sum = 0, right = 1;
    for (unsigned int i = 0; i < n; i++)
        sum += h_idata[i] = number(i);
    int *d_idata, *d_odata;
    CHECK(cudaMalloc(&d_idata, bytes));
    CHECK(cudaMalloc(&d_odata, blocks * sizeof(int)));

    for (const auto &k : kernels) {
        unsigned int grid = blocks / k.per_thread;
        int got = 0;
        CHECK(cudaMemcpy(d_idata, h_idata, bytes, cudaMemcpyHostToDevice)); // some sum in place
        k.run<<<grid, DIM, k.dynamic ? DIM * sizeof(int) : 0>>>(d_idata, d_odata, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(h_odata, d_odata, grid * sizeof(int), cudaMemcpyDeviceToHost));
        for (unsigned int i = 0; i < grid; i++)
            got += h_odata[i];
        right &= say(k.name, got == sum);
    }
    CHECK(cudaFree(d_idata));
    CHECK(cudaFree(d_odata));
    free(h_idata);
    free(h_odata);
    return !right;
}
