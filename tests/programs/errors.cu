/* errors - which call tells of which error, how long it is remembered, and what a fault in a kernel leaves behind. */
#include <cuda_runtime.h>

#include "program.h"

__global__ void fine(int *out)
{
    *out = 42;
}

__global__ void out_of_bounds(int *data)
{
    data[1ll << 32] = 1; /* far: a GPU sees no overrun within what its driver has mapped */
}

__global__ void null_pointer(int *data)
{
    *data = 1;
}

__global__ void misaligned(char *data)
{
    *(int *)(data + 1) = 1;
}

__global__ void trapped()
{
    asm volatile("trap;");
}

static int works(void)
{
    int *d, host = 0;
    if (cudaMalloc(&d, sizeof *d) != cudaSuccess)
        return 0;
    fine<<<1, 1>>>(d);
    return cudaMemcpy(&host, d, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess && host == 42 &&
           cudaFree(d) == cudaSuccess;
}

/* Code by nvcc 13 is told the one, older code and clang's the other. */
static bool sizes_refused(cudaError_t e)
{
    return e == cudaErrorInvalidValue || e == cudaErrorInvalidConfiguration;
}

/* Wrong arguments: told at once, remembered once, nothing is broken. */
static void arguments(void)
{
    int *p = NULL, x = 0;
    fine<<<1, 2000>>>(NULL);
    verdict(sizes_refused(cudaPeekAtLastError()), "a block of 2000 threads");
    verdict(sizes_refused(cudaGetLastError()), "peeking does not forget");
    verdict(cudaGetLastError() == cudaSuccess, "asking does");
    fine<<<0, 1>>>(NULL);
    verdict(sizes_refused(cudaGetLastError()), "a grid of 0 blocks");
    fine<<<1, 1, 1 << 20>>>(NULL);
    verdict(cudaGetLastError() == cudaErrorInvalidValue, "a megabyte of shared memory");
    REFUSED(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    cudaGetLastError();
    REFUSED(cudaMemcpy(NULL, &x, sizeof x, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cudaGetLastError();
    REFUSED(cudaMemcpy(&x, &x, sizeof x, (cudaMemcpyKind)77), cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();
    REFUSED(cudaFree(&x), cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK(cudaFree(NULL));
    cudaEvent_t never;
    CHECK(cudaEventCreate(&never));
    float ms;
    REFUSED(cudaEventElapsedTime(&ms, never, never), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CHECK(cudaEventDestroy(never));
    verdict(works(), "the device works");
}

static void names(void)
{
    verdict(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0, "an error's name");
    verdict(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0, "an error's text");
    verdict(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0, "the text of success");
    verdict(strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code") == 0, "a number that is no error");
}

/* A fault in a kernel: every later call fails with it, until the device is reset. */
static void fault(cudaError_t expected, const char *what)
{
    cudaError_t error = cudaDeviceSynchronize();
    void *p;
    if (error != expected)
        printf("%s: ", cudaGetErrorName(error));
    verdict(error == expected, "%s", what);
    verdict(cudaMalloc(&p, 16) == expected && cudaDeviceSynchronize() == expected, "%s: it stays", what);
    CHECK(cudaDeviceReset());
    cudaGetLastError();
    verdict(works(), "%s: after a reset the device works", what);
}

int main()
{
    names();
    arguments();
    int *data;
    CHECK(cudaMalloc(&data, 64));
    out_of_bounds<<<1, 1>>>(data);
    fault(cudaErrorIllegalAddress, "out of bounds");
    null_pointer<<<1, 1>>>(NULL);
    fault(cudaErrorIllegalAddress, "a null pointer");
    CHECK(cudaMalloc(&data, 64));
    misaligned<<<1, 1>>>((char *)data);
    fault(cudaErrorMisalignedAddress, "a misaligned address");
    trapped<<<1, 1>>>();
    fault(cudaErrorLaunchFailure, "a trap");
    return failures;
}
