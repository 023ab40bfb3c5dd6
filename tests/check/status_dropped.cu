/* status_dropped - the results are copied back in bytes of the wrong type, the call says so, and nobody listens: the
 * program goes on with zeros. */
// TOOL: errorcheck
// EXPECT: status-dropped line @copy
#include "check.h"

__global__ void halves(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * i;
}

int main()
{
    enum { N = 100 };
    static double back[N];
    float *out;
    CHECK(cudaMalloc(&out, N * sizeof *out));
    halves<<<1, 128>>>(out, N);
    CHECK(cudaGetLastError());
    cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost); // @copy
    printf("%g\n", ((float *)back)[10]);
    CHECK(cudaFree(out));
    return 0;
}
