/* saxpy [N] - y = a x + y for N floats (2^20): the first kernel, in unified memory, timed by events. A launch returns
 * at once; only an event, or waiting, knows when the kernel has ended.
 *
 * (Tutorials "Writing kernels", 3.1, and "From kernels to optimisation", 1.1 and 5.) */
#include "common.h"

__global__ void saxpy(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = a * x[i] + y[i];
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1 << 20), right = 1;
    float *x, *y, ms = -1;
    print_device(argv[0]);
    printf(", %d numbers\n", n);
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    CHECK(cudaMallocManaged(&y, n * sizeof(float)));
    for (int i = 0; i < n; i++) {
        x[i] = number(i);
        y[i] = 1.0f;
    }
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    for (int i = 0; i < n; i++)
        right &= y[i] == 2.0f * number(i) + 1.0f;
    say("saxpy", right);
    say("it took some time", ms > 0);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return !right;
}
