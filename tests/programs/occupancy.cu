/* occupancy - the occupancy calculator, attributes of functions, and dynamic shared memory above 48 KiB. */
#include <cuda_runtime.h>

#include "program.h"

__global__ void plain(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

__global__ void __launch_bounds__(128) bounded(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

/* Reads words that are far apart: all of the block's shared memory is there. */
__global__ void large(int *out, int words)
{
    extern __shared__ int tile[];
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        tile[i] = i;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        sum += tile[words - 1 - i];
    atomicAdd(out, sum);
}

static void calculator(void)
{
    int blocks = 0, grid = 0, block = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
    verdict(blocks == 8, "8 blocks of 256 threads on an SM of 2048");
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0));
    verdict(blocks == 32, "at most 32 blocks");
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 64, 40000));
    verdict(blocks == 5, "5 blocks of 40000 bytes of shared memory (and 1 KiB each) in 228 KiB");
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
    verdict(block == 1024 && grid == 2 * 132, "the largest block fills an SM twice");
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
    verdict(block == 128, "launch bounds are the limit");
    size_t room = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, plain, 4, 128));
    verdict(room > 48000 && room <= 57344, "room for 4 blocks' shared memory");
}

static void attributes(void)
{
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, bounded));
    verdict(a.maxThreadsPerBlock == 128 && a.sharedSizeBytes == 0 && a.numRegs > 0, "what a function is");
    CHECK(cudaFuncGetAttributes(&a, plain));
    verdict(a.maxThreadsPerBlock == 1024, "without bounds");
    bounded<<<1, 256>>>(NULL);
    verdict(cudaGetLastError() != cudaSuccess, "a block beyond the bounds is refused");
}

static void large_shared(void)
{
    int *out, sum = 0, words = 100 * 1024 / 4;
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemset(out, 0, sizeof *out));
    large<<<1, 256, 100 * 1024>>>(out, words);
    verdict(cudaGetLastError() == cudaErrorInvalidValue, "100 KiB without asking are refused");
    CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    large<<<1, 256, 100 * 1024>>>(out, words);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    verdict(sum == words * (words - 1) / 2, "and given when asked for");
    verdict(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024) ==
                cudaErrorInvalidValue,
            "228 KiB are more than a block can have");
    cudaGetLastError();
    CHECK(cudaFuncSetAttribute(large, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    CHECK(cudaFuncSetCacheConfig(large, cudaFuncCachePreferShared));
    CHECK(cudaFree(out));
}

int main()
{
    calculator();
    attributes();
    large_shared();
    return failures;
}
