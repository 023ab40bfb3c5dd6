/* assert_fails - a failed assert() in a kernel: its text, the error that stays, and the exit code of a checked call. */
#include <assert.h>
#include <cuda_runtime.h>

#include "program.h"

__global__ void all_below(const int *data, int limit)
{
    int i = threadIdx.x;
    assert(data[i] < limit && "data out of range");
}

int main()
{
    int host[32], *device;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    all_below<<<1, 32>>>(device, 32);
    CHECK(cudaDeviceSynchronize());
    printf("the first kernel passed\n");
    all_below<<<1, 32>>>(device, 31);
    CHECK(cudaGetLastError());
    verdict(cudaDeviceSynchronize() == cudaErrorAssert, "the second one does not");
    verdict(cudaFree(device) == cudaErrorAssert, "and every later call says so");
    fflush(stdout);
    CHECK(cudaGetLastError()); // ends the program with 1
    return 0;
}
