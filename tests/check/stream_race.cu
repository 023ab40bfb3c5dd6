/* stream_race - one stream fills the buffer, another one uses it, and no event stands between them. */
// TOOL: racecheck
// EXPECT: stream-race
#include "check.h"

__global__ void fill(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = i; // @fill
}

__global__ void twice(const int *data, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * data[i]; // @use
}

int main()
{
    enum { N = 500, BLOCK = 128, GRID = (N + BLOCK - 1) / BLOCK };
    static int host[N];
    int *data, *out;
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    fill<<<GRID, BLOCK, 0, first>>>(data, N);
    CHECK(cudaGetLastError());
    usleep(50000); // time makes it work here, and orders nothing
    twice<<<GRID, BLOCK, 0, second>>>(data, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    return 0;
}
