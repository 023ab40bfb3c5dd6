/* reduceIntegerShfl [N] - the sum of N whole numbers (1024) in blocks of 128 threads: through shared memory, and
 * through registers with warp shuffles, which leaves one word a warp to shared memory and one barrier.
 *
 * No thread returns before the barrier or a shuffle of the whole warp; the shuffles are the *_sync forms, the only
 * ones there are.
 *
 * (Tutorial "Shared memory and constant memory", 5.6.3.) */
#include "common.h"

#define DIM 128
#define SMEMDIM (DIM / 32)

__global__ void reduceSmem(int *g_idata, int *g_odata, unsigned int n)
{
    __shared__ int smem[DIM];
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? g_idata[idx] : 0;
    __syncthreads();

    if (blockDim.x >= 1024 && tid < 512) smem[tid] += smem[tid + 512];
    __syncthreads();

    if (blockDim.x >= 512 && tid < 256) smem[tid] += smem[tid + 256];
    __syncthreads();

    if (blockDim.x >= 256 && tid < 128) smem[tid] += smem[tid + 128];
    __syncthreads();

    if (blockDim.x >= 128 && tid < 64) smem[tid] += smem[tid + 64];
    __syncthreads();

    if (tid < 32)
    {
        volatile int *vsmem = smem;
#pragma unroll
        for (unsigned int stride = 32; stride > 0; stride >>= 1)
        {
            int sum = vsmem[tid] + vsmem[tid + stride];
            __syncwarp();
            vsmem[tid] = sum;
            __syncwarp();
        }
    }

    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

__inline__ __device__ int warpReduce(int localSum)
{
    localSum += __shfl_xor_sync(0xffffffff, localSum, 16);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 8);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 4);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 2);
    localSum += __shfl_xor_sync(0xffffffff, localSum, 1);

    return localSum;
}

__global__ void reduceShfl(int *g_idata, int *g_odata, unsigned int n)
{
    // shared memory for each warp sum
    __shared__ int smem[SMEMDIM];

    // a thread without data adds 0
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int localSum = idx < n ? g_idata[idx] : 0;

    // calculate lane index and warp index
    int laneIdx = threadIdx.x % warpSize;
    int warpIdx = threadIdx.x / warpSize;

    // block-wide warp reduce
    localSum = warpReduce(localSum);

    // save warp sum to shared memory
    if (laneIdx == 0) smem[warpIdx] = localSum;

    // block synchronization
    __syncthreads();

    // last warp reduce
    if (warpIdx == 0)
    {
        localSum = laneIdx < SMEMDIM ? smem[laneIdx] : 0;
        localSum = warpReduce(localSum);
    }

    // write result for this block to global mem
    if (threadIdx.x == 0) g_odata[blockIdx.x] = localSum;
}

int main(int argc, char **argv)
{
    unsigned int n = argument(argc, argv, 1, 1024), grid = (n + DIM - 1) / DIM;
    size_t bytes = n * sizeof(int);
    print_device(argv[0]);
    printf(", array size %u, grid %u block %d\n", n, grid, DIM);

    int *h_idata = (int *)malloc(bytes), *h_odata = (int *)malloc(grid * sizeof(int)), sum = 0, right = 1;
    for (unsigned int i = 0; i < n; i++)
        sum += h_idata[i] = number(i);
    int *d_idata, *d_odata;
    CHECK(cudaMalloc(&d_idata, bytes));
    CHECK(cudaMalloc(&d_odata, grid * sizeof(int)));
    CHECK(cudaMemcpy(d_idata, h_idata, bytes, cudaMemcpyHostToDevice));

    for (int i = 0; i < 2; i++) {
        int got = 0;
        if (i == 0)
            reduceSmem<<<grid, DIM>>>(d_idata, d_odata, n);
        else
            reduceShfl<<<grid, DIM>>>(d_idata, d_odata, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(h_odata, d_odata, grid * sizeof(int), cudaMemcpyDeviceToHost));
        for (unsigned int b = 0; b < grid; b++)
            got += h_odata[b];
        right &= say(i == 0 ? "reduceSmem" : "reduceShfl", got == sum);
    }
    CHECK(cudaFree(d_idata));
    CHECK(cudaFree(d_odata));
    free(h_idata);
    free(h_odata);
    return !right;
}
