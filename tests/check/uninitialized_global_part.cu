/* uninitialized_global_part - a fill that is one byte short: of the last element a byte was never written. */
// TOOL: initcheck
// EXPECT: uninitialized-global line @add
// EXPECT: uninitialized-global line @copy
// EXPECT: uninitialized-global line @count
#include "check.h"

__global__ void add_one(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1; // @add
}

__global__ void copy(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i]; // @copy
}

__global__ void count(int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&in[i], 1); // @count
}

int main()
{
    enum { N = 256 };
    int *in, *out;
    CHECK(cudaMalloc(&in, N * sizeof *in));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMemset(in, 0, N * sizeof *in - 1));
    add_one<<<1, N>>>(in, out, N);
    CHECK(cudaGetLastError());
    copy<<<1, N>>>(in, out, N);
    CHECK(cudaGetLastError());
    count<<<1, N>>>(in, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
