/* host_race_managed_clean - the host waits for the device first; meanwhile it reads what kernels read only. */
#include "check.h"

__global__ void squares(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * i; // @write
}

__global__ void copy(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i]; // @read
}

int main()
{
    enum { N = 3000, BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK };
    int *out, *in, *to;
    CHECK(cudaMallocManaged(&out, N * sizeof *out));
    CHECK(cudaMallocManaged(&in, N * sizeof *in));
    CHECK(cudaMalloc(&to, N * sizeof *to));
    squares<<<BLOCKS, BLOCK>>>(out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    long long sum = 0;
    for (int i = 0; i < N; i++)
        sum += out[i]; // @sum
    for (int i = 0; i < N; i++)
        in[i] = i;
    copy<<<BLOCKS, BLOCK>>>(to, in, N);
    CHECK(cudaGetLastError());
    for (int i = 0; i < N; i++)
        sum += in[i];
    CHECK(cudaDeviceSynchronize());
    in[5] = 0; // @next
    printf("%d\n", sum > 0);
    CHECK(cudaFree(out));
    CHECK(cudaFree(in));
    CHECK(cudaFree(to));
    return 0;
}
