/* device_printf - formatted output of kernels: every conversion, and its return value. */
#include <cuda_runtime.h>

#include "program.h"

__global__ void formats(int *returned)
{
    int n = 0;
    n += printf("integers %d %i %u %x %X %o %5d|%-5d|%05d|%+d\n", -1, 2, 3u, 255, 255, 8, 42, 42, 42, 42);
    n += printf("long %ld %lld %llu %llx %lu\n", -5L, -1LL << 40, 1ULL << 63, 0xfedcba9876543210ULL, sizeof(double));
    n += printf("numbers %f %.2f %e %g %10.3f|\n", 1.5, 3.14159, 12345.678, 0.0001, 2.5f);
    n += printf("text %s %c %5s|%-5s| %%\n", "hello", 'x', "ab", "cd");
    n += printf("stars %*d|%.1f\n", 6, 42, 2.25);
    n += printf("no arguments\n");
    *returned = n;
}

__global__ void lanes()
{
    printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

__global__ void loop()
{
    for (int i = 0; i < 3; i++)
        if (threadIdx.x == i)
            printf("round %d: thread %d\n", i, threadIdx.x);
}

int main()
{
    int *device, returned = 0;
    CHECK(cudaMalloc(&device, sizeof *device));
    formats<<<1, 1>>>(device);
    CHECK(cudaMemcpy(&returned, device, sizeof returned, cudaMemcpyDeviceToHost));
    verdict(returned == 10 + 5 + 5 + 4 + 3 + 0, "printf returns the number of its arguments");
    fflush(stdout);
    lanes<<<1, 4>>>();
    CHECK(cudaDeviceSynchronize());
    for (int block = 0; block < 2; block++) {
        loop<<<1, 3>>>();
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaFree(device));
    return failures;
}
