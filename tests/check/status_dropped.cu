/* status_dropped - the symbol is smaller than what is copied to it, the call says so, and nobody listens. */
// TOOL: errorcheck
// EXPECT: status-dropped line @copy
#include "check.h"

__constant__ float palette[16];

__global__ void colour(const int *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = palette[in[i] % 16];
}

int main()
{
    enum { N = 100 };
    static float colours[32], back[N];
    static int host[N];
    int *in;
    float *out;
    cudaMemcpyToSymbol(palette, colours, sizeof colours); // @copy
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof back));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    colour<<<1, 128>>>(in, out, N);
    cudaDeviceSynchronize();
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
