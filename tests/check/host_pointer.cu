/* host_pointer - the kernel gets the host's array, not the copy that was made for it. */
// TOOL: memcheck
// EXPECT: host-pointer line @read
// ALSO: api-error
#include "check.h"

__global__ void negate(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = -in[i]; // @read
}

int main()
{
    enum { N = 200 };
    int *h_in = (int *)malloc(N * sizeof(int)), *d_in, *d_out;
    for (int i = 0; i < N; i++)
        h_in[i] = i;
    CHECK(cudaMalloc(&d_in, N * sizeof(int)));
    CHECK(cudaMalloc(&d_out, N * sizeof(int)));
    CHECK(cudaMemcpy(d_in, h_in, N * sizeof(int), cudaMemcpyHostToDevice));
    negate<<<1, 256>>>(h_in, d_out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(h_in);
    return 0;
}
