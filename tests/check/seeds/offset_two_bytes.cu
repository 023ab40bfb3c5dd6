/* offset_two_bytes - "an array that begins 2 bytes off may need two transactions": it needs none, such a load of a
 * float is a fault. */
// TOOL: all
// OPTIONS: --destroy-on-device-error kernel
// EXPECT: misaligned line @load
#include "check.h"

__global__ void copy(const char *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = ((const float *)(in + 2))[i]; // @load
}

int main()
{
    enum { N = 100 };
    float *in, *out;
    CHECK(cudaMalloc(&in, (N + 1) * sizeof *in));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMemset(in, 0, (N + 1) * sizeof *in));
    copy<<<1, 128>>>((const char *)in, out, N);
    CHECK(cudaGetLastError());
    cudaError_t error = cudaDeviceSynchronize();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return error != cudaSuccess;
}
