/* host_race_managed - the host reads managed memory before it has waited for the kernel that writes it, and writes what
 * another kernel still reads. */
// TOOL: racecheck
// EXPECT: host-race line @sum other line @write
// EXPECT: host-race line @next other line @read
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
    long long sum = 0;
    for (int i = 0; i < N; i++)
        sum += out[i]; // @sum
    for (int i = 0; i < N; i++)
        in[i] = i;
    copy<<<BLOCKS, BLOCK>>>(to, in, N);
    CHECK(cudaGetLastError());
    in[5] = 0; // @next
    printf("%d\n", sum > 0);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(out));
    CHECK(cudaFree(in));
    CHECK(cudaFree(to));
    return 0;
}
